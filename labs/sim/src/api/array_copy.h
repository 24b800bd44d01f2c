/* Copies in which a CUDA array takes part. */
#pragma once

#include "memory/array.h"
#include "queue/copy.h"

/* A place in an array: byte x of row y of slice z. */
struct array_place {
    const struct cudaArray *array; /* NULL: that side of the copy is linear memory */
    size_t x, y, z;
};

/* Queues the copy, whose extent and linear side (if there is one) are set. What does not fit an
 * array is reported and fails with cudaErrorInvalidValue. */
cudaError_t sim_copy_arrays(struct sim_copy copy, struct array_place to, struct array_place from);

/* cudaMemcpy3D() with an array. */
cudaError_t sim_copy_arrays_3d(const struct cudaMemcpy3DParms *p, struct sim_copy copy);
