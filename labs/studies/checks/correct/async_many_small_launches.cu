// More launches than a queue holds; two events time them.
#include "../check.h"

__global__ void count(int *sum)
{
    *sum += 1;
}

int main(void)
{
    int sum = 0;
    float ms = -1;
    cudaEvent_t start, end;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&end));
    int *d_sum = device_array<int>(1);
    CHECK(cudaMemsetAsync(d_sum, 0, sizeof(int)));
    CHECK(cudaEventRecord(start));
    for (int i = 0; i < 3000; i++) count<<<1, 1>>>(d_sum);
    CHECK(cudaEventRecord(end));
    cudaError_t early = cudaEventElapsedTime(&ms, start, end);
    if (early != cudaErrorNotReady) CHECK(early);
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaEventElapsedTime(&ms, start, end));
    if (ms <= 0) failures++;
    CHECK(cudaMemcpy(&sum, d_sum, sizeof sum, cudaMemcpyDeviceToHost));
    if (sum != 3000) failures++;
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(end));
    return finish();
}
