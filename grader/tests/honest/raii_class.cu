/* An honest file: raii class. */
#include <cuda_runtime.h>
class Buffer {
public:
    explicit Buffer(size_t bytes) { cudaMalloc(&memory, bytes); }
    ~Buffer() { cudaFree(memory); }
    Buffer(const Buffer &) = delete;
    Buffer &operator=(const Buffer &) = delete;
    void *get() const { return memory; }
private:
    void *memory = nullptr;
};
void *cached() {
    static Buffer buffer(1 << 20);
    Buffer local(64);
    return buffer.get();
}
