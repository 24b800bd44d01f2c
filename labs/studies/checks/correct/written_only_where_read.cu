// Most of the temporary stays uninitialised; only what was written is read.
#include "../check.h"

__global__ void mark(const int *in, int *tmp, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] % 5 == 0) tmp[i] = i;
}

__global__ void collect(const int *in, const int *tmp, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] % 5 == 0 ? tmp[i] : -1;
}

int main(void)
{
    const int n = 160;
    int *d_in = DEVICE_ARRAY(int, n, i), *d_tmp = device_array<int>(n);
    int *d_out = device_array<int>(n);
    mark<<<2, 80>>>(d_in, d_tmp, n);
    collect<<<2, 80>>>(d_in, d_tmp, d_out, n);
    CHECK_KERNEL();
    EXPECT(d_out, n, (i % 5 == 0 ? i : -1));
    return finish();
}
