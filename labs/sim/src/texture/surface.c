/* Surfaces: reads and writes of the bytes of an array. */
#include "exec/thread.h"
#include "texture/object_of.h"
#include "texture/texel.h"

#include <string.h>

/* Where an access goes, in bytes, rows and slices. */
struct target {
    int64_t x, y, z;
};

__attribute__((noreturn, cold)) static void trap(enum finding_kind found,
                                                 const struct sim_texture *s, struct target at,
                                                 unsigned bytes, bool store,
                                                 struct sim_location location) {
    const struct texture_level *l = &s->level;
    sim_report_once(&(struct sim_finding){
        .found = found,
        .kernel = sim_worker->block.config->kernel,
        .location = location,
        .block = &blockIdx,
        .thread = &threadIdx,
        .verb = store ? "write" : "read",
        .bytes = bytes,
        .at = {at.x, at.y, at.z},
        .extent = {(long long)l->width * (long long)s->element, l->height, l->depth}});
    sim_end_kernel(found == FOUND_SURFACE_MISALIGNED ? cudaErrorMisalignedAddress
                                                     : cudaErrorIllegalAddress);
}

static int64_t within(int64_t i, int64_t n) {
    return i < 0 ? 0 : i < n ? i : n - 1;
}

/* The address of the access, or NULL if it does nothing. */
static char *locate(const struct sim_texture *s, struct target at, unsigned bytes, bool store,
                    enum cudaSurfaceBoundaryMode mode, struct sim_location location) {
    const struct texture_level *l = &s->level;
    int64_t row = (int64_t)l->width * s->element;
    bool inside = at.x >= 0 && at.x + bytes <= row && at.y >= 0 && at.y < l->height && at.z >= 0 &&
                  at.z < l->depth;
    if (!inside && mode == cudaBoundaryModeTrap) {
        trap(FOUND_SURFACE_OUTSIDE, s, at, bytes, store, location);
    }
    if (inside && at.x % bytes != 0) {
        trap(FOUND_SURFACE_MISALIGNED, s, at, bytes, store, location);
    }
    if (!inside && mode == cudaBoundaryModeZero) {
        return NULL;
    }
    if (!inside) {
        at.x = at.x < 0 ? 0 : at.x + bytes > row ? row - bytes : at.x;
        at.y = within(at.y, l->height);
        at.z = within(at.z, l->depth);
    }
    char *address = (char *)(uintptr_t)l->texels + (size_t)at.z * l->slice +
                    (size_t)at.y * l->pitch + (size_t)at.x;
    if (at.x < 0) {
        return NULL; /* wider than the row */
    }
    texel_access(address, bytes, store);
    return address;
}

static struct target target(enum sim_shape shape, int x, int y, int z) {
    bool flat = shape == SIM_1D || shape == SIM_1D_LAYERED;
    bool one = shape == SIM_1D || shape == SIM_2D;
    /* A layer or a face has 16 bits. */
    return (struct target){x, flat ? 0 : y, one ? 0 : shape == SIM_3D ? z : (uint16_t)z};
}

struct sim_texel sim_surf_read(cudaSurfaceObject_t surface, enum sim_shape shape, int x, int y,
                               int z, unsigned bytes, enum cudaSurfaceBoundaryMode mode,
                               const char *file, int line) {
    TEXEL_CALLER();
    const struct sim_texture *s = surface_object(surface, file, line);
    struct sim_texel value = {0, 0};
    const char *from =
        locate(s, target(shape, x, y, z), bytes, false, mode, (struct sim_location){file, line});
    if (from) {
        memcpy(&value, from, bytes);
    }
    return value;
}

void sim_surf_write(cudaSurfaceObject_t surface, enum sim_shape shape, int x, int y, int z,
                    unsigned bytes, enum cudaSurfaceBoundaryMode mode, struct sim_texel value,
                    const char *file, int line) {
    TEXEL_CALLER();
    const struct sim_texture *s = surface_object(surface, file, line);
    char *to =
        locate(s, target(shape, x, y, z), bytes, true, mode, (struct sim_location){file, line});
    if (to) {
        memcpy(to, &value, bytes);
    }
}
