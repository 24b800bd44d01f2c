/* Lab 8, part E: from colour to grey on a GPU, and what the transfers cost.
 *
 * Pixels, weights and the rule are those of lab.h. The prefix of a pointer says where it points: h_
 * to the host's memory, d_ to the device's. h_rgb and h_grey are ordinary, pageable memory.
 *
 * Every function returns cudaSuccess, or the error of the first call that failed. Even then it has
 * freed, unpinned and destroyed everything that it created, and none of its work is still running;
 * the result of a call that only does that need not be checked.
 */
#ifndef CONVLABS_LAB8_CUDA_H
#define CONVLABS_LAB8_CUDA_H

#include "lab.h"

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Launches a kernel in `stream` that computes Y of `pixels` consecutive pixels, 1 or more, and
 * returns what cudaGetLastError() returns after the launch. Does not wait. The addresses d_rgb and
 * d_grey are multiples of 4. A thread converts 4 pixels: it reads 3 words and writes 1. */
cudaError_t grey_device(const uint8_t *d_rgb, size_t pixels, struct weights w, uint8_t *d_grey,
                        cudaStream_t stream);

/* Allocates device memory, copies the image to it, converts, copies the result back, frees. Calls
 * cudaMalloc twice and cudaMemcpy twice. */
cudaError_t grey_plain(const uint8_t *h_rgb, int width, int height, struct weights w,
                       uint8_t *h_grey);

/* As grey_plain(), with h_rgb and h_grey pinned in place: calls cudaHostRegister() before, and
 * cudaHostUnregister() after. */
cudaError_t grey_pinned(const uint8_t *h_rgb, int width, int height, struct weights w,
                        uint8_t *h_grey);

/* As grey_pinned(), but in sections whose transfers and conversions overlap in time. Divides the
 * image into `chunks` sections, 1 or more, of equal size, rounded up to a multiple of 4 pixels (so
 * the last ones may be shorter or empty; skips empty ones). Copies section i to the device,
 * converts it and copies it back in stream i mod STREAMS, with cudaMemcpyAsync(). Creates the
 * streams with cudaStreamCreate(), and waits for them before it frees or unpins any memory. */
enum { STREAMS = 2 };
cudaError_t grey_streamed(const uint8_t *h_rgb, int width, int height, struct weights w, int chunks,
                          uint8_t *h_grey);

#ifdef __cplusplus
}
#endif

#endif
