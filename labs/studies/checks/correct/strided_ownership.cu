// Every thread reads back only the elements of the shared array that it wrote itself.
#include "../check.h"

__global__ void two_phases(const int *in, int *out, int n)
{
    __shared__ int s[300];
    for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = in[i] * 2;
    for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] += 1;
    for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = s[i];
}

int main(void)
{
    const int n = 300;
    int *d_in = DEVICE_ARRAY(int, n, i), *d_out = device_zeros<int>(n);
    two_phases<<<1, 70>>>(d_in, d_out, n);
    CHECK_KERNEL();
    EXPECT(d_out, n, 2 * i + 1);
    return finish();
}
