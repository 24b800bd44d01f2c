/* Lab 8, part E: from colour to grey on a GPU, and what the way there and back costs.
 *
 * Pixels, weights and the rule are those of lab.h. The prefix of a pointer says where it points: h_
 * to the host's memory, d_ to the device's. h_rgb and h_grey are ordinary, pageable memory.
 *
 * Every function returns cudaSuccess, or the error of the first call that failed. It then has
 * freed, unpinned and destroyed all that it made, and nothing of it is still running.
 */
#ifndef CONVLABS_LAB8_CUDA_H
#define CONVLABS_LAB8_CUDA_H

#include "lab.h"

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Launches a kernel that computes Y of `pixels` pixels that follow each other, 1 or more, in
 * `stream`, and returns what cudaGetLastError() says of the launch. Does not wait. d_rgb and d_grey
 * are multiples of 4. A thread converts 4 pixels, which are 3 words to read and 1 to write. */
cudaError_t grey_device(const uint8_t *d_rgb, size_t pixels, struct weights w, uint8_t *d_grey,
                        cudaStream_t stream);

/* Allocates (cudaMalloc twice), copies there, converts, copies back (cudaMemcpy twice), frees. */
cudaError_t grey_plain(const uint8_t *h_rgb, int width, int height, struct weights w,
                       uint8_t *h_grey);

/* As grey_plain(), with h_rgb and h_grey pinned where they lie: cudaHostRegister() before, and
 * cudaHostUnregister() after. */
cudaError_t grey_pinned(const uint8_t *h_rgb, int width, int height, struct weights w,
                        uint8_t *h_grey);

/* As grey_pinned(), in pieces that overlap: the image is cut into `chunks` sections, 1 or more, of
 * equal size, rounded up to a multiple of 4 pixels (so that the last ones may be shorter or empty;
 * nothing is done for an empty one). Section i is copied there, converted and copied back in stream
 * i mod STREAMS, with cudaMemcpyAsync(). The streams are made with cudaStreamCreate(). */
enum { STREAMS = 2 };
cudaError_t grey_streamed(const uint8_t *h_rgb, int width, int height, struct weights w, int chunks,
                          uint8_t *h_grey);

#ifdef __cplusplus
}
#endif

#endif
