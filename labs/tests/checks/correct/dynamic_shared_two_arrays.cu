// expect: nothing
// Floats and bytes behind each other in one dynamic buffer, sizes and alignment right.
#include "../check.h"

__global__ void select(const float *in, const unsigned char *keep, float *out, int n)
{
    extern __shared__ float s_buffer[];
    float *s_value = s_buffer;
    unsigned char *s_keep = (unsigned char *)(s_buffer + blockDim.x);
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    s_value[t] = i < n ? in[i] : 0.0f;
    s_keep[t] = i < n ? keep[i] : 0;
    __syncthreads();
    int other = blockDim.x - 1 - t;
    if (i < n) out[i] = s_keep[other] ? s_value[other] : -1.0f;
}

int main(void)
{
    const int n = 117;
    static float h_in[n];
    for (int i = 0; i < n; i++) h_in[i] = (float)(i);
    float *d_in = NULL;
    CHECK(cudaMalloc((void **)&d_in, sizeof h_in));
    CHECK(cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice));
    static unsigned char h_keep[n];
    for (int i = 0; i < n; i++) h_keep[i] = (unsigned char)(i % 2);
    unsigned char *d_keep = NULL;
    CHECK(cudaMalloc((void **)&d_keep, sizeof h_keep));
    CHECK(cudaMemcpy(d_keep, h_keep, sizeof h_keep, cudaMemcpyHostToDevice));
    float *d_out = NULL;
    CHECK(cudaMalloc((void **)&d_out, n * sizeof(float)));
    CHECK(cudaMemset(d_out, 0, n * sizeof(float)));
    select<<<3, 39, 39 * (sizeof(float) + 1)>>>(d_in, d_keep, d_out, n);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    static float h_out[n];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) {
        int other = i / 39 * 39 + 38 - i % 39;
        if (h_out[i] != (other % 2 ? other : -1)) failures++;
    }
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_keep));
    CHECK(cudaFree(d_out));
    return failures != 0;
}
