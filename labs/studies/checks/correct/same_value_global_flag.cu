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
    static float h_a[n];
    for (int i = 0; i < n; i++) h_a[i] = (float)(i);
    float *d_a = device_copy(h_a);
    static float h_b[n];
    for (int i = 0; i < n; i++) h_b[i] = (float)(i % 100);
    float *d_b = device_copy(h_b);
    int *d_changed = device_zeros<int>(1);
    compare<<<4, 64>>>(d_a, d_b, d_changed, n);
    CHECK_KERNEL();
    static int h_changed[1];
    CHECK(cudaMemcpy(h_changed, d_changed, sizeof h_changed, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 1; i++)
        if (h_changed[i] != 1) failures++;
    CHECK(cudaFree(d_a));
    CHECK(cudaFree(d_b));
    CHECK(cudaFree(d_changed));
    return failures != 0;
}
