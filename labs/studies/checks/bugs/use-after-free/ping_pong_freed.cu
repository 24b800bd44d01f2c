// expect: use-after-free
// The buffers swap roles in the loop, so the one freed after it is the one still needed.
#include "../../check.h"

__global__ void diffuse(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float left = in[i > 0 ? i - 1 : 0];
    out[i] = 0.5f * (left + in[i]);
}

__global__ void scale(float *image, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) image[i] *= 2.0f;  // BUG
}

int main(void)
{
    const int n = 180;
    static float h_a[n];
    for (int i = 0; i < n; i++) h_a[i] = (float)(i % 17);
    float *d_a = NULL;
    CHECK(cudaMalloc((void **)&d_a, sizeof h_a));
    CHECK(cudaMemcpy(d_a, h_a, sizeof h_a, cudaMemcpyHostToDevice));
    float *d_b = NULL;
    CHECK(cudaMalloc((void **)&d_b, n * sizeof(float)));
    CHECK(cudaMemset(d_b, 0, n * sizeof(float)));
    float *from = d_a, *to = d_b;
    for (int step = 0; step < 3; step++) {
        diffuse<<<2, 90>>>(from, to, n);
        float *t = from;
        from = to;
        to = t;
    }
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(d_b));
    scale<<<2, 90>>>(from, n);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(d_a));
    return failures != 0;
}
