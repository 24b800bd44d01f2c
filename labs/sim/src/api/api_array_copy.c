/* The functions that copy to and from CUDA arrays. */
#include "api/api.h"
#include "api/array_copy.h"

static const struct array_place in_memory = {NULL, 0, 0, 0};

/* One slice of linear memory and one of an array. */
static cudaError_t copy_2d(struct sim_copy c, const struct cudaArray *to, size_t to_x, size_t to_y,
                           const struct cudaArray *from, size_t from_x, size_t from_y) {
    SIM_FAIL_IF((!to && c.width > c.to_pitch) || (!from && c.width > c.from_pitch),
                cudaErrorInvalidPitchValue);
    c.depth = 1;
    return sim_copy_arrays(c, to ? (struct array_place){to, to_x, to_y, 0} : in_memory,
                           from ? (struct array_place){from, from_x, from_y, 0} : in_memory);
}

/* A copy of `height` rows of `width` bytes whose sides are yet to be set. */
static struct sim_copy rows(size_t width, size_t height, enum cudaMemcpyKind kind, const char *name,
                            struct sim_location location) {
    return (struct sim_copy){
        .width = width, .height = height, .kind = kind, .name = name, .location = location};
}

static struct sim_copy queued(struct sim_copy c, cudaStream_t stream) {
    c.stream = stream;
    c.async = true;
    return c;
}

static cudaError_t to_array(struct sim_copy c, cudaArray_t to, size_t x, size_t y, const void *from,
                            size_t pitch) {
    c.from = from;
    c.from_pitch = pitch;
    return to ? copy_2d(c, to, x, y, NULL, 0, 0) : sim_fail(cudaErrorInvalidResourceHandle);
}

static cudaError_t from_array(struct sim_copy c, void *to, size_t pitch, cudaArray_const_t from,
                              size_t x, size_t y) {
    c.to = to;
    c.to_pitch = pitch;
    return from ? copy_2d(c, NULL, 0, 0, from, x, y) : sim_fail(cudaErrorInvalidResourceHandle);
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch,
                                size_t width, size_t height, enum cudaMemcpyKind kind) {
    SIM_BEGIN(cudaErrorInvalidValue);
    return to_array(rows(width, height, kind, __func__, location), to, x, y, from, pitch);
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from,
                                     size_t pitch, size_t width, size_t height,
                                     enum cudaMemcpyKind kind, cudaStream_t stream) {
    SIM_BEGIN(cudaErrorInvalidValue);
    return to_array(queued(rows(width, height, kind, __func__, location), stream), to, x, y, from,
                    pitch);
}

cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_const_t from, size_t x,
                                  size_t y, size_t width, size_t height, enum cudaMemcpyKind kind) {
    SIM_BEGIN(cudaErrorInvalidValue);
    return from_array(rows(width, height, kind, __func__, location), to, pitch, from, x, y);
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x, size_t to_y,
                                     cudaArray_const_t from, size_t from_x, size_t from_y,
                                     size_t width, size_t height, enum cudaMemcpyKind kind) {
    SIM_BEGIN(cudaErrorInvalidValue);
    SIM_FAIL_IF(!to || !from, cudaErrorInvalidResourceHandle);
    return copy_2d(rows(width, height, kind, __func__, location), to, to_x, to_y, from, from_x,
                   from_y);
}

/* ---- deprecated: `bytes` bytes, row after row of the array */

/* The bytes up to the end of the row, or as many whole rows as there are. Sets the extent of the
 * next piece of such a copy, and returns its size. */
static size_t piece(struct sim_copy *c, const struct cudaArray *array, size_t x, size_t bytes) {
    c->width = array->pitch - x < bytes ? array->pitch - x : bytes;
    c->height = x == 0 && bytes >= array->pitch ? bytes / array->pitch : 1;
    return c->width * c->height;
}

static bool is_array(const struct cudaArray *array) {
    sim_lock_device();
    bool known = sim_is_array(array);
    sim_unlock_device();
    return known;
}

cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t bytes,
                              enum cudaMemcpyKind kind) {
    SIM_BEGIN(cudaErrorInvalidValue);
    SIM_FAIL_IF(!from && bytes > 0, cudaErrorInvalidValue);
    SIM_FAIL_IF(!is_array(to), cudaErrorInvalidResourceHandle);
    SIM_FAIL_IF(x >= to->pitch, cudaErrorInvalidValue);
    struct sim_copy c = rows(0, 0, kind, __func__, location);
    c.from = from;
    while (bytes > 0) {
        size_t done = piece(&c, to, x, bytes);
        c.from_pitch = c.width;
        cudaError_t error = copy_2d(c, to, x, y, NULL, 0, 0);
        if (error != cudaSuccess) {
            return error;
        }
        c.from = (const char *)c.from + done;
        bytes -= done;
        x = 0;
        y += c.height;
    }
    return cudaSuccess;
}
