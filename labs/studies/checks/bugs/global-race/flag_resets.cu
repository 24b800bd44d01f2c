// Any block may set the flag, but block 0 also clears it: the order decides.
#include "../../check.h"

__global__ void converged(const float *a, const float *b, int *changed)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 0)
        *changed = 0;  // BUG (other side)
    __syncthreads();
    if (a[i] != b[i] && threadIdx.x == 3)
        *changed = 1;  // BUG
}

int main(void)
{
    const int n = 4 * 50;
    float *d_a = DEVICE_ARRAY(float, n, i), *d_b = DEVICE_ARRAY(float, n, i + 1);
    int *d_changed = device_zeros<int>(1);
    converged<<<4, 50>>>(d_a, d_b, d_changed);
    CHECK_KERNEL();
    print_sum(d_changed, 1);
    return finish();
}
