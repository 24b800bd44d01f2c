// expect: note global-race
// Threads of several blocks report a change: all store 1, and nobody reads it in this launch.
#include "../check.h"

__global__ void compare(const float *a, const float *b, int *changed, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && a[i] != b[i]) *changed = 1;
}

int main(void)
{
    const int n = 250;
    float *d_a = DEVICE_ARRAY(float, n, i), *d_b = DEVICE_ARRAY(float, n, i % 100);
    int *d_changed = device_zeros<int>(1);
    compare<<<4, 64>>>(d_a, d_b, d_changed, n);
    CHECK_KERNEL();
    EXPECT(d_changed, 1, 1);
    return finish();
}
