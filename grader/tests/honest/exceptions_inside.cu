/* An honest file: exceptions inside. */
#include <cstdio>
#include <new>
#include <stdexcept>
#include <string>
static void check(cudaError_t error) {
    if (error != cudaSuccess)
        throw std::runtime_error(std::string("CUDA: ") + cudaGetErrorString(error));
}
cudaError_t careful(float **d_data, size_t n) {
    try {
        check(cudaMalloc(d_data, n * sizeof(float)));
        return cudaSuccess;
    } catch (const std::bad_alloc &) {
        return cudaErrorMemoryAllocation;
    } catch (const std::exception &problem) {
        std::fprintf(stderr, "%s\n", problem.what());
        return cudaGetLastError();
    } catch (...) {
        return cudaErrorUnknown;
    }
}
