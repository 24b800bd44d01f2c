/* Copies and fills as operations of the queue. */
#pragma once

#include "queue/queue.h"

/* A copy of `depth` slices of `height` rows of `width` bytes; pitches and slices are distances in
 * bytes (those of a dimension of size 1 do not matter). */
struct sim_copy {
    void *to;
    const void *from;
    size_t to_pitch, from_pitch, to_slice, from_slice;
    size_t width, height, depth;
    enum cudaMemcpyKind kind;
    const char *name; /* of the API function */
    struct sim_location location;
    cudaStream_t stream;
    bool async; /* the function's name ends in Async */
};

/* Queues the copy, and waits for it where NVIDIA documents that the function does:
 *
 *     from        to          cudaMemcpy()          cudaMemcpyAsync()
 *     pageable    device      waits                 copies the source at once, then is queued
 *     device      pageable    waits                 waits
 *     pinned      device      waits                 is queued
 *     device      pinned      waits                 is queued
 *     device      device      is queued             is queued
 *     host        host        waits                 waits
 *
 * A copy that does not fit the allocations or the direction is reported and fails with
 * cudaErrorInvalidValue; nothing is queued then. An empty copy is cudaSuccess. */
cudaError_t sim_copy(const struct sim_copy *copy);

/* The bytes of all copies from the device to the host so far. */
size_t sim_copied_to_host(void);

/* Fills `height` rows of `width` bytes with copies of `value`, whose size is 1, 2 or 4 bytes; waits
 * unless `async` or the memory is the device's. */
struct sim_fill {
    void *to;
    size_t pitch, width, height;
    unsigned value, value_bytes;
    const char *name;
    struct sim_location location;
    cudaStream_t stream;
    bool async;
};
cudaError_t sim_fill(const struct sim_fill *fill);
