#include "api/array_copy.h"

#include "exec/hooks.h"

#include <string.h>

/* Does the box lie in the array? If not, reports it. */
static bool fits(const struct copy_side *s, size_t width, size_t height, size_t depth,
                 const char *side, struct sim_location location) {
    const struct cudaArray *a = s->array;
    struct sim_finding finding = {.kind = "out-of-bounds", .location = location};
    if (s->x % a->element != 0 || width % a->element != 0) {
        finding.kind = "misaligned";
        sim_report(&finding,
                   "this copy of %zu bytes from byte %zu of a row on splits elements of the %s, "
                   "which have %zu bytes",
                   width, s->x, side, a->element);
        return false;
    }
    if (s->x + width <= a->pitch && s->y + height <= a->height && s->z + depth <= a->depth) {
        return true;
    }
    sim_report(
        &finding,
        "this copy of %zu bytes x %zu rows x %zu slices from byte %zu, row %zu, slice %zu on "
        "does not fit the %s, an array of %zu bytes x %zu rows x %zu slices allocated at "
        "%s:%d",
        width, height, depth, s->x, s->y, s->z, side, a->pitch, a->height, a->depth,
        a->location.file ? a->location.file : "?", a->location.line);
    return false;
}

/* The address of the first byte and the pitches of a side that fits; NULL if it does not. */
static const char *resolve(struct copy_side *s, size_t width, size_t height, size_t depth,
                           bool device, const char *side, struct sim_location location) {
    if (!s->array) {
        size_t bytes = s->slice * (depth - 1) + s->pitch * (height - 1) + width;
        return sim_side_fits(s->pointer, bytes, device, side, location) ? s->pointer : NULL;
    }
    if (!fits(s, width, height, depth, side, location)) {
        return NULL;
    }
    s->pitch = s->array->pitch;
    s->slice = s->array->slice;
    return s->array->texels + s->z * s->slice + s->y * s->pitch + s->x;
}

static bool is_live(const struct cudaArray *array) {
    return !array || (sim_is_array(array) && !array->freed);
}

/* Reports an array that was freed, or never allocated. */
static void report_dead(const struct cudaArray *array, const char *side,
                        struct sim_location location) {
    struct sim_finding finding = {.kind = "use-after-free", .location = location};
    if (sim_is_array(array)) {
        sim_report(&finding, "the %s of this call is an array that was freed at %s:%d", side,
                   array->freed_at.file ? array->freed_at.file : "?", array->freed_at.line);
    }
}

/* On which side of the copy `kind` puts linear memory. */
static bool is_on_device(const struct copy_side *s, bool destination, enum cudaMemcpyKind kind) {
    if (kind == cudaMemcpyDefault) {
        return sim_device_end(s->pointer) != NULL;
    }
    return kind == cudaMemcpyDeviceToDevice ||
           kind == (destination ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost);
}

static size_t span(const struct copy_side *s, size_t width, size_t height, size_t depth) {
    return s->slice * (depth - 1) + s->pitch * (height - 1) + width;
}

static void copy_rows(char *to, const struct copy_side *t, const char *from,
                      const struct copy_side *f, size_t width, size_t height, size_t depth) {
    sim_open_range(from, span(f, width, height, depth));
    sim_open_range(to, span(t, width, height, depth));
    for (size_t i = 0; i < height * depth; i++) {
        char *row = to + i / height * t->slice + i % height * t->pitch;
        const char *source = from + i / height * f->slice + i % height * f->pitch;
        memmove(row, source, width);
        if (sim_hooks) {
            sim_hooks->copied(row, source, width);
        }
    }
    sim_close_range(from, span(f, width, height, depth));
    sim_close_range(to, span(t, width, height, depth));
}

cudaError_t sim_copy_box(const struct copy_side *to, const struct copy_side *from, size_t width,
                         size_t height, size_t depth, enum cudaMemcpyKind kind,
                         struct sim_location location) {
    if ((unsigned)kind > cudaMemcpyDefault) {
        return sim_fail(cudaErrorInvalidMemcpyDirection);
    }
    struct copy_side t = *to, f = *from;
    sim_lock_device();
    bool live = is_live(t.array) && is_live(f.array);
    if (!live) {
        report_dead(is_live(t.array) ? f.array : t.array,
                    is_live(t.array) ? "source" : "destination", location);
        sim_unlock_device();
        return sim_fail(cudaErrorInvalidResourceHandle);
    }
    bool wrong = (t.array && kind != cudaMemcpyDefault && kind != cudaMemcpyHostToDevice &&
                  kind != cudaMemcpyDeviceToDevice) ||
                 (f.array && kind != cudaMemcpyDefault && kind != cudaMemcpyDeviceToHost &&
                  kind != cudaMemcpyDeviceToDevice);
    bool nothing = width == 0 || height == 0 || depth == 0;
    cudaError_t error = wrong ? cudaErrorInvalidMemcpyDirection : cudaSuccess;
    if (!wrong && !nothing && ((!t.array && !t.pointer) || (!f.array && !f.pointer))) {
        error = cudaErrorInvalidValue;
    }
    if (error == cudaSuccess && !nothing) {
        const char *target = resolve(&t, width, height, depth, is_on_device(&t, true, kind),
                                     "destination", location);
        const char *source = target ? resolve(&f, width, height, depth,
                                              is_on_device(&f, false, kind), "source", location)
                                    : NULL;
        if (source) {
            copy_rows((char *)(uintptr_t)target, &t, source, &f, width, height, depth);
        } else {
            error = cudaErrorInvalidValue;
        }
    }
    sim_unlock_device();
    return error == cudaSuccess ? cudaSuccess : sim_fail(error);
}

/* A side of cudaMemcpy3D(). Positions in an array count elements, those in linear memory bytes. */
static struct copy_side side(const struct cudaArray *array, const struct cudaPitchedPtr *pointer,
                             const struct cudaPos *at) {
    struct copy_side s = {.array = array};
    if (array) {
        s.x = at->x * array->element;
        s.y = at->y;
        s.z = at->z;
        return s;
    }
    s.pitch = pointer->pitch;
    s.slice = pointer->pitch * pointer->ysize;
    s.pointer = (const char *)pointer->ptr + at->z * s.slice + at->y * s.pitch + at->x;
    return s;
}

cudaError_t sim_copy_3d(const struct cudaMemcpy3DParms *p, struct sim_location location) {
    if (!p || (p->srcArray != NULL) == (p->srcPtr.ptr != NULL) ||
        (p->dstArray != NULL) == (p->dstPtr.ptr != NULL)) {
        return sim_fail(cudaErrorInvalidValue);
    }
    const struct cudaArray *array = p->srcArray ? p->srcArray : p->dstArray;
    sim_lock_device();
    bool known =
        (!p->srcArray || sim_is_array(p->srcArray)) && (!p->dstArray || sim_is_array(p->dstArray));
    sim_unlock_device();
    if (!known) {
        return sim_fail(cudaErrorInvalidResourceHandle);
    }
    size_t element = array ? array->element : 1;
    if (p->srcArray && p->dstArray && p->srcArray->element != p->dstArray->element) {
        return sim_fail(cudaErrorInvalidValue);
    }
    size_t width = p->extent.width * element;
    if ((p->srcPtr.ptr && p->extent.height > 1 && width > p->srcPtr.pitch) ||
        (p->dstPtr.ptr && p->extent.height > 1 && width > p->dstPtr.pitch)) {
        return sim_fail(cudaErrorInvalidPitchValue);
    }
    struct copy_side to = side(p->dstArray, &p->dstPtr, &p->dstPos),
                     from = side(p->srcArray, &p->srcPtr, &p->srcPos);
    return sim_copy_box(&to, &from, width, p->extent.height, p->extent.depth, p->kind, location);
}
