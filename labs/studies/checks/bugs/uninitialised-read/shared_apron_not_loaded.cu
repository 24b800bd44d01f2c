// expect: uninitialised-read
// Only the tile's interior is loaded; the apron on the left and right is read as it was.
#include "../../check.h"

#define T 64

__global__ void blur(const float *in, float *out, int n)
{
    __shared__ float tile[T + 2];
    int i = blockIdx.x * T + threadIdx.x;
    tile[threadIdx.x + 1] = i < n ? in[i] : 0.0f;
    __syncthreads();
    float sum = 0.0f;
    for (int k = 0; k < 3; k++)
        sum += tile[threadIdx.x + k];  // BUG
    if (i < n) out[i] = sum / 3.0f;
}

int main(void)
{
    const int n = 200;
    static float h_in[n];
    for (int i = 0; i < n; i++) h_in[i] = (float)(i % 17);
    float *d_in = device_copy(h_in);
    float *d_out = device_zeros<float>(n);
    blur<<<4, T>>>(d_in, d_out, n);
    CHECK_KERNEL();
    static float h_out[n];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    print_sum(h_out);
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    return failures != 0;
}
