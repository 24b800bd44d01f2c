/* Copies and fills of three dimensions, and between devices, of which there is one. */
#include "api/api.h"
#include "api/array_copy.h"
#include "memory/allocations.h"

cudaError_t cudaMalloc3D(struct cudaPitchedPtr *pointer, struct cudaExtent extent) {
    SIM_FAIL_IF(!pointer, cudaErrorInvalidValue);
    bool fits = extent.depth == 0 || extent.height <= SIM_GLOBAL_BYTES / extent.depth;
    *pointer = (struct cudaPitchedPtr){.xsize = extent.width, .ysize = extent.height};
    return fits ? cudaMallocPitch(&pointer->ptr, &pointer->pitch, extent.width,
                                  extent.height * extent.depth)
                : sim_fail(cudaErrorMemoryAllocation);
}

/* The first byte of a side of the copy. */
static char *start(struct cudaPitchedPtr p, struct cudaPos at) {
    return (char *)p.ptr + at.z * p.pitch * p.ysize + at.y * p.pitch + at.x;
}

/* Does the box lie inside the pitched memory, as far as that is known? ysize may be 0 when there is
 * one slice. */
static bool lies_inside(struct cudaPitchedPtr p, struct cudaPos at, struct cudaExtent extent) {
    return at.x + extent.width <= p.pitch && (extent.depth <= 1 || at.y + extent.height <= p.ysize);
}

static cudaError_t copy_3d(const struct cudaMemcpy3DParms *p, struct sim_copy c) {
    bool empty = p && (p->extent.width == 0 || p->extent.height == 0 || p->extent.depth == 0);
    if (empty) {
        return cudaSuccess; /* whatever else it says */
    }
    SIM_FAIL_IF(!p || (p->srcArray != NULL) == (p->srcPtr.ptr != NULL) ||
                    (p->dstArray != NULL) == (p->dstPtr.ptr != NULL),
                cudaErrorInvalidValue);
    if (p->srcArray || p->dstArray) {
        return sim_copy_arrays_3d(p, c);
    }
    SIM_FAIL_IF(!lies_inside(p->srcPtr, p->srcPos, p->extent) ||
                    !lies_inside(p->dstPtr, p->dstPos, p->extent),
                cudaErrorInvalidValue);
    c.to = start(p->dstPtr, p->dstPos);
    c.to_pitch = p->dstPtr.pitch;
    c.to_slice = p->dstPtr.pitch * p->dstPtr.ysize;
    c.from = start(p->srcPtr, p->srcPos);
    c.from_pitch = p->srcPtr.pitch;
    c.from_slice = p->srcPtr.pitch * p->srcPtr.ysize;
    c.width = p->extent.width;
    c.height = p->extent.height;
    c.depth = p->extent.depth;
    c.kind = p->kind;
    return sim_copy(&c);
}

cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *p) {
    SIM_BEGIN(cudaErrorInvalidValue);
    return copy_3d(p, (struct sim_copy){.name = __func__, .location = location});
}

cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p, cudaStream_t stream) {
    SIM_BEGIN(cudaErrorInvalidValue);
    return copy_3d(p, (struct sim_copy){
                          .name = __func__, .location = location, .stream = stream, .async = true});
}

/* ---- between devices */

static cudaError_t copy_peer(void *to, int to_device, const void *from, int from_device,
                             size_t bytes, struct sim_copy c) {
    SIM_FAIL_IF(to_device != 0 || from_device != 0, cudaErrorInvalidDevice);
    c.to = to;
    c.from = from;
    c.to_pitch = c.from_pitch = c.width = bytes;
    c.height = c.depth = 1;
    c.kind = cudaMemcpyDefault;
    return sim_copy(&c);
}

cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device,
                           size_t bytes) {
    SIM_BEGIN(cudaErrorInvalidValue);
    return copy_peer(to, to_device, from, from_device, bytes,
                     (struct sim_copy){.name = __func__, .location = location});
}

cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device,
                                size_t bytes, cudaStream_t stream) {
    SIM_BEGIN(cudaErrorInvalidValue);
    return copy_peer(
        to, to_device, from, from_device, bytes,
        (struct sim_copy){.name = __func__, .location = location, .stream = stream, .async = true});
}

/* ---- fills */

/* Each slice is a fill of its own, unless the slices follow one another without a gap. */
static cudaError_t fill_3d(struct cudaPitchedPtr p, int value, struct cudaExtent extent,
                           struct sim_fill f) {
    SIM_FAIL_IF(!p.ptr || extent.width > p.pitch || (extent.depth > 1 && extent.height > p.ysize),
                cudaErrorInvalidValue);
    f.pitch = p.pitch;
    f.width = extent.width;
    f.value = (unsigned)value;
    f.value_bytes = 1;
    bool whole = extent.depth == 1 || extent.height == p.ysize;
    size_t fills = whole ? 1 : extent.depth;
    f.height = whole ? extent.height * extent.depth : extent.height;
    for (size_t z = 0; z < fills; z++) {
        f.to = (char *)p.ptr + z * p.pitch * p.ysize;
        cudaError_t error = sim_fill(&f);
        if (error != cudaSuccess) {
            return error;
        }
    }
    return cudaSuccess;
}

cudaError_t cudaMemset3D(struct cudaPitchedPtr p, int value, struct cudaExtent extent) {
    SIM_BEGIN(cudaErrorInvalidValue);
    return fill_3d(p, value, extent, (struct sim_fill){.name = __func__, .location = location});
}

cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr p, int value, struct cudaExtent extent,
                              cudaStream_t stream) {
    SIM_BEGIN(cudaErrorInvalidValue);
    return fill_3d(
        p, value, extent,
        (struct sim_fill){.name = __func__, .location = location, .stream = stream, .async = true});
}

cudaError_t cudaMemset2DAsync(void *pointer, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream) {
    SIM_BEGIN(cudaErrorInvalidValue);
    const struct cudaPitchedPtr p = {pointer, pitch, width, height};
    return fill_3d(
        p, value, (struct cudaExtent){width, height, 1},
        (struct sim_fill){.name = __func__, .location = location, .stream = stream, .async = true});
}
