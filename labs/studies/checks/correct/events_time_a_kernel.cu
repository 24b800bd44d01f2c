// Two events around a kernel, synchronized before the time is asked for.
#include "../check.h"

__global__ void fill(float *out, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = 1.0f;
}

int main(void)
{
    const int n = 4000;
    float ms = -1.0f;
    cudaEvent_t start, stop;
    float *d_out = device_array<float>(n);
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    CHECK(cudaEventRecord(start, 0));
    fill<<<1, 250>>>(d_out, n);
    CHECK(cudaEventRecord(stop, 0));
    CHECK(cudaEventSynchronize(stop));
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    if (ms < 0.0f) failures++;
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
    return finish();
}
