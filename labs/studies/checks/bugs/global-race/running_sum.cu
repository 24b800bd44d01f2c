// expect: global-race
// Each pixel needs its left neighbour's result, which another thread computes in the same launch.
#include "../../check.h"

__global__ void integrate(const int *in, int *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < 1 || x >= w || y >= h) return;
    int before = out[y * w + x - 1];  // BUG
    out[y * w + x] = before + in[y * w + x];  // BUG (other side)
}

int main(void)
{
    const int w = 70, h = 6, n = w * h;
    static int h_in[n];
    for (int i = 0; i < n; i++) h_in[i] = i % 17;
    int *d_in = device_copy(h_in);
    int *d_out = device_zeros<int>(n);
    integrate<<<dim3(3, h), 24>>>(d_in, d_out, w, h);
    CHECK_KERNEL();
    static int h_out[n];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    print_sum(h_out);
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    return failures != 0;
}
