// __syncthreads_count is reached by all, also by the threads outside the image.
#include "../check.h"

__global__ void count_large(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int large = __syncthreads_count(i < n && in[i] >= 10);
    if (threadIdx.x == 0) out[blockIdx.x] = large;
}

int main(void)
{
    const int n = 130;
    int *d_in = DEVICE_ARRAY(int, n, i % 20), *d_out = device_zeros<int>(2);
    count_large<<<2, 80>>>(d_in, d_out, n);
    CHECK_KERNEL();
    static int h_out[2];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    if (h_out[0] != 40 || h_out[1] != 20) failures++;
    return finish();
}
