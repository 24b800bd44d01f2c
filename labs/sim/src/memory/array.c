#include "memory/array.h"

#include <stdlib.h>

static struct cudaArray *arrays;

size_t sim_element_bytes(struct cudaChannelFormatDesc f) {
    const int bits[] = {f.x, f.y, f.z, f.w};
    int channels = 0;
    while (channels < 4 && bits[channels] != 0) {
        channels++;
    }
    for (int i = 0; i < 4; i++) {
        if (bits[i] != (i < channels ? f.x : 0)) {
            return 0;
        }
    }
    bool width = f.x == 16 || f.x == 32 || (f.x == 8 && f.f != cudaChannelFormatKindFloat);
    bool kind = f.f == cudaChannelFormatKindSigned || f.f == cudaChannelFormatKindUnsigned ||
                f.f == cudaChannelFormatKindFloat;
    bool count = channels == 1 || channels == 2 || channels == 4;
    return width && kind && count ? (size_t)(f.x / 8 * channels) : 0;
}

static size_t at_least_1(size_t n) {
    return n > 0 ? n : 1;
}

struct cudaArray *sim_array_create(struct cudaChannelFormatDesc format, struct cudaExtent extent,
                                   unsigned flags, struct sim_location location) {
    struct cudaArray *a = calloc(1, sizeof *a);
    if (!a) {
        return NULL;
    }
    *a = (struct cudaArray){.format = format,
                            .extent = extent,
                            .flags = flags,
                            .element = sim_element_bytes(format),
                            .width = extent.width,
                            .height = at_least_1(extent.height),
                            .depth = at_least_1(extent.depth),
                            .location = location,
                            .next = arrays};
    a->pitch = a->width * a->element;
    a->slice = a->pitch * a->height;
    a->texels = sim_allocate(a->slice * a->depth, SIM_DEVICE_MEMORY, 0, location);
    if (!a->texels) {
        free(a);
        return NULL;
    }
    arrays = a;
    return a;
}

bool sim_is_array(const struct cudaArray *array) {
    const struct cudaArray *a = arrays;
    while (a && a != array) {
        a = a->next;
    }
    return a != NULL;
}

void sim_array_free(struct cudaArray *a, struct sim_location location) {
    struct sim_allocation *memory = sim_allocation_at(a->texels, SIM_DEVICE_MEMORY);
    if (memory) {
        sim_release(memory);
    }
    a->freed = true;
    a->freed_at = location;
}

void sim_arrays_forget(void) {
    for (struct cudaArray *a = arrays; a; a = a->next) {
        a->freed = true;
    }
}
