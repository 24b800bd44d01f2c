// expect: shared-race
// The second array in the dynamic buffer starts 8 elements before the end of the first.
#include "../../check.h"

__global__ void two_rows(const int *a, const int *b, int *out)
{
    extern __shared__ int s_buffer[];
    int t = threadIdx.x, n = blockDim.x;
    int *s_a = s_buffer, *s_b = s_buffer + n - 8;
    s_a[t] = a[t];  // BUG (other side)
    s_b[t] = b[t] + 100;  // BUG
    __syncthreads();
    out[t] = s_a[n - 1 - t] + s_b[t];
}

int main(void)
{
    const int n = 80;
    static int h_a[n];
    for (int i = 0; i < n; i++) h_a[i] = i % 17;
    int *d_a = device_copy(h_a);
    static int h_b[n];
    for (int i = 0; i < n; i++) h_b[i] = i % 17;
    int *d_b = device_copy(h_b);
    int *d_out = device_zeros<int>(n);
    two_rows<<<1, n, 2 * n * sizeof(int)>>>(d_a, d_b, d_out);
    CHECK_KERNEL();
    static int h_out[n];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    print_sum(h_out);
    CHECK(cudaFree(d_a));
    CHECK(cudaFree(d_b));
    CHECK(cudaFree(d_out));
    return failures != 0;
}
