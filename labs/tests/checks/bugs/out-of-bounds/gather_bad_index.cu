// expect: out-of-bounds
// One entry of the index table points far outside the image.
#include "../../check.h"

__global__ void gather(const float *image, const int *index, float *out, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        out[i] = image[index[i]];  // BUG
}

int main(void)
{
    const int n = 90;
    static float h_image[n];
    for (int i = 0; i < n; i++) h_image[i] = (float)(i % 17);
    float *d_image = NULL;
    CHECK(cudaMalloc((void **)&d_image, sizeof h_image));
    CHECK(cudaMemcpy(d_image, h_image, sizeof h_image, cudaMemcpyHostToDevice));
    static int h_index[n];
    for (int i = 0; i < n; i++) h_index[i] = i == 71 ? 40000 : (7 * i) % n;
    int *d_index = NULL;
    CHECK(cudaMalloc((void **)&d_index, sizeof h_index));
    CHECK(cudaMemcpy(d_index, h_index, sizeof h_index, cudaMemcpyHostToDevice));
    float *d_out = NULL;
    CHECK(cudaMalloc((void **)&d_out, n * sizeof(float)));
    CHECK(cudaMemset(d_out, 0, n * sizeof(float)));
    gather<<<1, 33>>>(d_image, d_index, d_out, n);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    static float h_out[n];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += h_out[i];
    printf("%g\n", sum);
    CHECK(cudaFree(d_image));
    CHECK(cudaFree(d_index));
    CHECK(cudaFree(d_out));
    return failures != 0;
}
