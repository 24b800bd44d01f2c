// expect: global-race
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
    static float h_a[n];
    for (int i = 0; i < n; i++) h_a[i] = (float)(i);
    float *d_a = device_copy(h_a);
    static float h_b[n];
    for (int i = 0; i < n; i++) h_b[i] = (float)(i + 1);
    float *d_b = device_copy(h_b);
    int *d_changed = device_zeros<int>(1);
    converged<<<4, 50>>>(d_a, d_b, d_changed);
    CHECK_KERNEL();
    static int h_changed[1];
    CHECK(cudaMemcpy(h_changed, d_changed, sizeof h_changed, cudaMemcpyDeviceToHost));
    print_sum(h_changed);
    CHECK(cudaFree(d_a));
    CHECK(cudaFree(d_b));
    CHECK(cudaFree(d_changed));
    return failures != 0;
}
