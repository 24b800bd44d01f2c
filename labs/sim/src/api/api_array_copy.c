/* The functions that copy to and from CUDA arrays. */
#include "api/array_copy.h"

static struct copy_side in_array(const struct cudaArray *array, size_t x, size_t y) {
    return (struct copy_side){.array = array, .x = x, .y = y};
}

static struct copy_side in_memory(const void *pointer, size_t pitch) {
    return (struct copy_side){.pointer = pointer, .pitch = pitch};
}

/* An array, and linear memory whose rows are `pitch` bytes apart. */
static cudaError_t copy_2d(const struct copy_side *to, const struct copy_side *from, size_t width,
                           size_t height, enum cudaMemcpyKind kind, struct sim_location location) {
    bool pitched =
        height > 1 && ((!to->array && width > to->pitch) || (!from->array && width > from->pitch));
    if (pitched) {
        return sim_fail(cudaErrorInvalidPitchValue);
    }
    return sim_copy_box(to, from, width, height, 1, kind, location);
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch,
                                size_t width, size_t height, enum cudaMemcpyKind kind) {
    SIM_BEGIN(cudaErrorInvalidValue);
    if (!to) {
        return sim_fail(cudaErrorInvalidResourceHandle);
    }
    struct copy_side there = in_array(to, x, y), here = in_memory(from, pitch);
    return copy_2d(&there, &here, width, height, kind, location);
}

cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_const_t from, size_t x,
                                  size_t y, size_t width, size_t height, enum cudaMemcpyKind kind) {
    SIM_BEGIN(cudaErrorInvalidValue);
    if (!from) {
        return sim_fail(cudaErrorInvalidResourceHandle);
    }
    struct copy_side there = in_memory(to, pitch), here = in_array(from, x, y);
    return copy_2d(&there, &here, width, height, kind, location);
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x, size_t to_y,
                                     cudaArray_const_t from, size_t from_x, size_t from_y,
                                     size_t width, size_t height, enum cudaMemcpyKind kind) {
    SIM_BEGIN(cudaErrorInvalidValue);
    if (!to || !from) {
        return sim_fail(cudaErrorInvalidResourceHandle);
    }
    struct copy_side there = in_array(to, to_x, to_y), here = in_array(from, from_x, from_y);
    return sim_copy_box(&there, &here, width, height, 1, kind, location);
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from,
                                     size_t pitch, size_t width, size_t height,
                                     enum cudaMemcpyKind kind, cudaStream_t stream) {
    SIM_BEGIN(cudaErrorInvalidValue);
    if (!to || !sim_is_stream(stream)) {
        return sim_fail(cudaErrorInvalidResourceHandle);
    }
    struct copy_side there = in_array(to, x, y), here = in_memory(from, pitch);
    return copy_2d(&there, &here, width, height, kind, location);
}

cudaError_t cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, cudaArray_const_t from, size_t x,
                                       size_t y, size_t width, size_t height,
                                       enum cudaMemcpyKind kind, cudaStream_t stream) {
    SIM_BEGIN(cudaErrorInvalidValue);
    if (!from || !sim_is_stream(stream)) {
        return sim_fail(cudaErrorInvalidResourceHandle);
    }
    struct copy_side there = in_memory(to, pitch), here = in_array(from, x, y);
    return copy_2d(&there, &here, width, height, kind, location);
}

/* The deprecated functions copy `bytes` bytes, row after row of the array: part of the first row,
 * whole rows, part of the last. *done: the bytes before this piece. Returns the width of the next
 * piece. */
static size_t piece(const struct cudaArray *a, size_t x, size_t y, size_t bytes, size_t *row,
                    size_t *rows) {
    size_t width = a->pitch - x < bytes ? a->pitch - x : bytes;
    *row = y;
    *rows = x == 0 && bytes >= a->pitch ? bytes / a->pitch : 1;
    return width;
}

static cudaError_t copy_along(const struct cudaArray *array, size_t x, size_t y, const void *memory,
                              size_t bytes, bool to_array, enum cudaMemcpyKind kind,
                              struct sim_location location) {
    sim_lock_device();
    bool known = sim_is_array(array);
    sim_unlock_device();
    if (!known) {
        return sim_fail(cudaErrorInvalidResourceHandle);
    }
    if (x >= array->pitch) {
        return sim_fail(cudaErrorInvalidValue);
    }
    const char *at = memory;
    while (bytes > 0) {
        size_t row, rows, width = piece(array, x, y, bytes, &row, &rows);
        struct copy_side there = in_array(array, x, row), here = in_memory(at, width);
        cudaError_t error = to_array ? sim_copy_box(&there, &here, width, rows, 1, kind, location)
                                     : sim_copy_box(&here, &there, width, rows, 1, kind, location);
        if (error != cudaSuccess) {
            return error;
        }
        at += width * rows;
        bytes -= width * rows;
        x = 0;
        y += rows;
    }
    return cudaSuccess;
}

cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t bytes,
                              enum cudaMemcpyKind kind) {
    SIM_BEGIN(cudaErrorInvalidValue);
    return copy_along(to, x, y, from, bytes, true, kind, location);
}

cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from,
                                   size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream) {
    SIM_BEGIN(cudaErrorInvalidValue);
    if (!sim_is_stream(stream)) {
        return sim_fail(cudaErrorInvalidResourceHandle);
    }
    return copy_along(to, x, y, from, bytes, true, kind, location);
}

cudaError_t cudaMemcpyFromArray(void *to, cudaArray_const_t from, size_t x, size_t y, size_t bytes,
                                enum cudaMemcpyKind kind) {
    SIM_BEGIN(cudaErrorInvalidValue);
    return copy_along(from, x, y, to, bytes, false, kind, location);
}

cudaError_t cudaMemcpyFromArrayAsync(void *to, cudaArray_const_t from, size_t x, size_t y,
                                     size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream) {
    SIM_BEGIN(cudaErrorInvalidValue);
    if (!sim_is_stream(stream)) {
        return sim_fail(cudaErrorInvalidResourceHandle);
    }
    return copy_along(from, x, y, to, bytes, false, kind, location);
}

cudaError_t cudaMemcpyArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from,
                                   size_t from_x, size_t from_y, size_t bytes,
                                   enum cudaMemcpyKind kind) {
    SIM_BEGIN(cudaErrorInvalidValue);
    sim_lock_device();
    bool known = sim_is_array(to) && sim_is_array(from);
    sim_unlock_device();
    if (!known) {
        return sim_fail(cudaErrorInvalidResourceHandle);
    }
    if (to_x >= to->pitch || from_x >= from->pitch) {
        return sim_fail(cudaErrorInvalidValue);
    }
    while (bytes > 0) {
        size_t width =
            to->pitch - to_x < from->pitch - from_x ? to->pitch - to_x : from->pitch - from_x;
        width = width < bytes ? width : bytes;
        struct copy_side there = in_array(to, to_x, to_y), here = in_array(from, from_x, from_y);
        cudaError_t error = sim_copy_box(&there, &here, width, 1, 1, kind, location);
        if (error != cudaSuccess) {
            return error;
        }
        bytes -= width;
        to_x = (to_x + width) % to->pitch;
        to_y += to_x == 0;
        from_x = (from_x + width) % from->pitch;
        from_y += from_x == 0;
    }
    return cudaSuccess;
}

#ifndef SIM_COPY_3D_ELSEWHERE
cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *p) {
    SIM_BEGIN(cudaErrorInvalidValue);
    return sim_copy_3d(p, location);
}

cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p, cudaStream_t stream) {
    SIM_BEGIN(cudaErrorInvalidValue);
    if (!sim_is_stream(stream)) {
        return sim_fail(cudaErrorInvalidResourceHandle);
    }
    return sim_copy_3d(p, location);
}
#endif
