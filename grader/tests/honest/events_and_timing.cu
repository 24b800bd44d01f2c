/* An honest file: events and timing. */
#include <chrono>
#include <cstdio>
__global__ void nothing() {}
float measured() {
    cudaEvent_t start, stop;
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    auto begin = std::chrono::steady_clock::now();
    cudaEventRecord(start);
    nothing<<<1, 32>>>();
    cudaEventRecord(stop);
    cudaEventSynchronize(stop);
    float ms = 0;
    cudaEventElapsedTime(&ms, start, stop);
    std::chrono::duration<double, std::milli> host = std::chrono::steady_clock::now() - begin;
    printf("%f %f\n", ms, host.count());
    cudaEventDestroy(start);
    cudaEventDestroy(stop);
    return ms;
}
