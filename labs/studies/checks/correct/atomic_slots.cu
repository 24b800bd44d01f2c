// Stream compaction: an atomic hands out the places, so that no two threads share one.
#include "../check.h"

__global__ void compact(const int *in, int *out, int *used, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] % 3 == 0) out[atomicAdd(used, 1)] = in[i];
}

int main(void)
{
    const int n = 300;
    int *d_in = DEVICE_ARRAY(int, n, i), *d_out = device_zeros<int>(n);
    int *d_used = device_zeros<int>(1);
    compact<<<5, 60>>>(d_in, d_out, d_used, n);
    CHECK_KERNEL();
    static int h_out[n];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    static int h_used[1];
    CHECK(cudaMemcpy(h_used, d_used, sizeof h_used, cudaMemcpyDeviceToHost));
    int sum = 0;
    for (int i = 0; i < h_used[0]; i++) sum += h_out[i];
    if (h_used[0] != 100 || sum != 3 * 99 * 100 / 2) failures++;
    return finish();
}
