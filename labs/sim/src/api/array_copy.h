/* Copies in which a CUDA array takes part. */
#ifndef SIM_ARRAY_COPY_H
#define SIM_ARRAY_COPY_H

#include "api/api.h"
#include "memory/array.h"

/* One side of a copy: an array, from byte x of row y and slice z on, or linear memory. */
struct copy_side {
    const struct cudaArray *array; /* NULL: linear memory */
    size_t x, y, z;
    const void *pointer; /* of the first byte, if there is no array */
    size_t pitch, slice; /* bytes */
};

/* Copies `depth` slices of `height` rows of `width` bytes. What does not fit is reported and fails
 * with the code of a driver. `kind` says where linear memory is. */
cudaError_t sim_copy_box(const struct copy_side *to, const struct copy_side *from, size_t width,
                         size_t height, size_t depth, enum cudaMemcpyKind kind,
                         struct sim_location location);

/* cudaMemcpy3D(): both sides may be arrays or linear memory. */
cudaError_t sim_copy_3d(const struct cudaMemcpy3DParms *p, struct sim_location location);

#endif
