/* An honest file: host callbacks. */
#include <atomic>
#include <mutex>
static std::atomic<int> finished{0};
static std::mutex mutex;
static void CUDART_CB note(void *data) { finished += *(int *)data; }
cudaError_t call(cudaStream_t stream, int *value) {
    std::lock_guard<std::mutex> locked(mutex);
    return cudaLaunchHostFunc(stream, note, value);
}
