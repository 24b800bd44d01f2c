// A radius larger than the image: every access is guarded, none is made.
#include "../check.h"

__global__ void box(const int *in, int *out, int n, int r)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int sum = 0;
    for (int k = i - r; k <= i + r; k++)
        if (k >= 0 && k < n) sum += in[k];
    out[i] = sum;
}

int main(void)
{
    const int n = 9;
    int *d_in = DEVICE_ARRAY(int, n, 1), *d_out = device_zeros<int>(n);
    box<<<2, 7>>>(d_in, d_out, n, 20);
    CHECK_KERNEL();
    EXPECT(d_out, n, n);
    return finish();
}
