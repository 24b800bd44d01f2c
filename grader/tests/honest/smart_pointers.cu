/* An honest file: smart pointers. */
#include <memory>
#include <vector>
struct Free { void operator()(float *p) const { cudaFree(p); } };
using DeviceMemory = std::unique_ptr<float, Free>;
static DeviceMemory allocate(size_t n) {
    float *memory = nullptr;
    cudaMalloc(&memory, n * sizeof(float));
    return DeviceMemory(memory);
}
void use(size_t n) {
    DeviceMemory a = allocate(n);
    auto b = std::make_unique<float[]>(n);
    auto c = std::make_shared<std::vector<float>>(n);
    cudaMemcpy(a.get(), b.get(), n * sizeof(float), cudaMemcpyHostToDevice);
    std::weak_ptr<std::vector<float>> d = c;
}
