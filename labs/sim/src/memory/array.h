/* CUDA arrays: device memory with an element format, which only copies, textures and surfaces
 * access. Here rows and slices lie one after another; a GPU's layout is its own.
 *
 * Not locked: hold the device's lock. */
#pragma once

#include "memory/allocations.h"

#include "texture_types.h"

struct cudaArray {
    struct cudaChannelFormatDesc format;
    struct cudaExtent extent; /* as the program gave it */
    unsigned flags;
    size_t element;              /* bytes */
    size_t width, height, depth; /* at least 1; depth counts slices, layers or faces */
    size_t pitch, slice;         /* bytes from row to row, from slice to slice */
    char *texels;
    bool freed; /* kept, so that a use is reported */
    struct sim_location location, freed_at;
    struct cudaArray *next;
};

/* The bytes of an element of this format; 0 if no array can have it. */
size_t sim_element_bytes(struct cudaChannelFormatDesc format);

/* A new array, or NULL when out of memory. The format and the extent must be valid. */
struct cudaArray *sim_array_create(struct cudaChannelFormatDesc format, struct cudaExtent extent,
                                   unsigned flags, struct sim_location location);

/* Is it an array that was created, freed or not? */
bool sim_is_array(const struct cudaArray *array);

void sim_array_free(struct cudaArray *array, struct sim_location location);

/* cudaDeviceReset() has freed the memory of all of them. */
void sim_arrays_forget(void);
