/* What the files of the runtime API share. */
#ifndef SIM_API_H
#define SIM_API_H

#include "base/errors.h"

/* Opens every API function: `location` is the program's line; returns at once what a lost device or
 * an injected failure wants. */
#define SIM_BEGIN(injected)                                                                        \
    struct sim_location location;                                                                  \
    cudaError_t at_once = sim_begin(__func__, injected, &location);                                \
    (void)location;                                                                                \
    if (at_once != cudaSuccess) {                                                                  \
        return at_once;                                                                            \
    }                                                                                              \
    (void)0

/* Copies `height` rows of `width` bytes; pitches in bytes. What does not fit the allocations or the
 * direction is reported and fails with cudaErrorInvalidValue. */
cudaError_t sim_copy_2d(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                        size_t width, size_t height, enum cudaMemcpyKind kind,
                        struct sim_location location);

/* Is `pointer` good for `bytes` bytes, on the device or on the host? Reports why not. Hold the
 * device's lock. */
bool sim_side_fits(const void *pointer, size_t bytes, bool device, const char *side,
                   struct sim_location location);

/* Is it the default stream or one that was created and not destroyed? */
bool sim_is_stream(cudaStream_t stream);

/* Writes down for sim_queued() what the program queues in a stream. */
void sim_note_queued(enum sim_work work, cudaStream_t stream);

#endif
