#include "api/array_copy.h"

#include "base/errors.h"

/* Does the box lie in the array? If not, reports it. */
static bool fits(struct array_place at, const struct sim_copy *c, const char *side) {
    const struct cudaArray *a = at.array;
    if (at.x + c->width <= a->pitch && at.y + c->height <= a->height &&
        at.z + c->depth <= a->depth) {
        return true;
    }
    const struct sim_object array = {.space = "array", .made = a->location};
    sim_report(&(struct sim_finding){
        .found = FOUND_ARRAY_COPY_OUTSIDE,
        .location = c->location,
        .side = side,
        .object = array,
        .at = {(long long)at.x, (long long)at.y, (long long)at.z},
        .size = {(long long)c->width, (long long)c->height, (long long)c->depth},
        .extent = {(long long)a->pitch, (long long)a->height, (long long)a->depth}});
    return false;
}

static bool is_live(const struct cudaArray *array) {
    return !array || (sim_is_array(array) && !array->freed);
}

/* Reports an array that was freed; nothing is known of one that never existed. */
static void report_dead(const struct cudaArray *array, const char *side,
                        struct sim_location location) {
    if (sim_is_array(array)) {
        sim_report(&(struct sim_finding){.found = FOUND_ARRAY_COPY_FREED,
                                         .location = location,
                                         .side = side,
                                         .place = array->freed_at});
    }
}

static char *address(struct array_place at) {
    return at.array->texels + at.z * at.array->slice + at.y * at.array->pitch + at.x;
}

static cudaError_t check(const struct sim_copy *c, struct array_place to, struct array_place from) {
    if (!is_live(to.array) || !is_live(from.array)) {
        bool source = is_live(to.array);
        report_dead(source ? from.array : to.array, source ? "source" : "destination", c->location);
        return cudaErrorInvalidResourceHandle;
    }
    bool any = c->kind == cudaMemcpyDefault || c->kind == cudaMemcpyDeviceToDevice;
    if ((to.array && !any && c->kind != cudaMemcpyHostToDevice) ||
        (from.array && !any && c->kind != cudaMemcpyDeviceToHost)) {
        return cudaErrorInvalidMemcpyDirection;
    }
    bool nothing = c->width == 0 || c->height == 0 || c->depth == 0;
    bool inside = nothing || ((!to.array || fits(to, c, "destination")) &&
                              (!from.array || fits(from, c, "source")));
    return inside ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t sim_copy_arrays(struct sim_copy c, struct array_place to, struct array_place from) {
    sim_lock_device();
    cudaError_t error = check(&c, to, from);
    sim_unlock_device();
    SIM_FAIL_IF(error != cudaSuccess, error);
    if (to.array) {
        c.to = address(to);
        c.to_pitch = to.array->pitch;
        c.to_slice = to.array->slice;
    }
    if (from.array) {
        c.from = address(from);
        c.from_pitch = from.array->pitch;
        c.from_slice = from.array->slice;
    }
    return sim_copy(&c);
}

/* A side of cudaMemcpy3D(). Positions in an array count elements. */
static struct array_place place(const struct cudaArray *array, struct cudaPos at) {
    return (struct array_place){array, array ? at.x * array->element : 0, at.y, at.z};
}

/* The first byte of linear memory, where positions count bytes. */
static char *start(struct cudaPitchedPtr p, struct cudaPos at) {
    return (char *)p.ptr + at.z * p.pitch * p.ysize + at.y * p.pitch + at.x;
}

static bool lies_inside(struct cudaPitchedPtr p, struct cudaPos at, size_t width,
                        struct cudaExtent extent) {
    return at.x + width <= p.pitch && (extent.depth <= 1 || at.y + extent.height <= p.ysize);
}

cudaError_t sim_copy_arrays_3d(const struct cudaMemcpy3DParms *p, struct sim_copy c) {
    sim_lock_device();
    bool known =
        (!p->srcArray || sim_is_array(p->srcArray)) && (!p->dstArray || sim_is_array(p->dstArray));
    sim_unlock_device();
    SIM_FAIL_IF(!known, cudaErrorInvalidResourceHandle);
    const struct cudaArray *array = p->srcArray ? p->srcArray : p->dstArray;
    c.width = p->extent.width * array->element;
    c.height = p->extent.height;
    c.depth = p->extent.depth;
    c.kind = p->kind;
    bool both = p->srcArray && p->dstArray;
    SIM_FAIL_IF((both && p->srcArray->element != p->dstArray->element) ||
                    (both && p->kind != cudaMemcpyDeviceToDevice && p->kind != cudaMemcpyDefault) ||
                    (!p->srcArray && !lies_inside(p->srcPtr, p->srcPos, c.width, p->extent)) ||
                    (!p->dstArray && !lies_inside(p->dstPtr, p->dstPos, c.width, p->extent)),
                cudaErrorInvalidValue);
    if (!p->srcArray) {
        c.from = start(p->srcPtr, p->srcPos);
        c.from_pitch = p->srcPtr.pitch;
        c.from_slice = p->srcPtr.pitch * p->srcPtr.ysize;
    }
    if (!p->dstArray) {
        c.to = start(p->dstPtr, p->dstPos);
        c.to_pitch = p->dstPtr.pitch;
        c.to_slice = p->dstPtr.pitch * p->dstPtr.ysize;
    }
    return sim_copy_arrays(c, place(p->dstArray, p->dstPos), place(p->srcArray, p->srcPos));
}
