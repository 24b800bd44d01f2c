/* An honest file: file scope vector. */
#include <vector>
#include <memory>
static std::vector<float> scratch;
static std::unique_ptr<float[]> memory;
static float *d_cache = nullptr;
static size_t cached = 0;
cudaError_t grow(size_t n) {
    scratch.resize(n);
    memory.reset(new float[n]);
    if (n <= cached)
        return cudaSuccess;
    cudaFree(d_cache);
    cached = n;
    return cudaMalloc(&d_cache, n * sizeof(float));
}
