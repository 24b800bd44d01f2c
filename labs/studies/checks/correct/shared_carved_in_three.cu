// One dynamic array holds doubles, floats and bytes, each aligned.
#include "../check.h"

__global__ void mix(float *out, int n)
{
    extern __shared__ double s_all[];
    double *s_double = s_all;
    float *s_float = (float *)&s_double[n];
    char *s_byte = (char *)&s_float[n];
    s_double[threadIdx.x] = 1;
    s_float[threadIdx.x] = 2;
    s_byte[threadIdx.x] = 3;
    __syncthreads();
    int j = n - 1 - threadIdx.x;
    out[threadIdx.x] = (float)s_double[j] + s_float[j] + s_byte[j];
}

int main(void)
{
    const int n = 33;
    float *d_out = NULL, h_out[n];
    CHECK(cudaMalloc((void **)&d_out, sizeof h_out));
    mix<<<1, n, n * (sizeof(double) + sizeof(float) + 1)>>>(d_out, n);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        if (h_out[i] != 6.0f) failures++;
    CHECK(cudaFree(d_out));
    return failures != 0;
}
