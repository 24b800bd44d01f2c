/* texture/: what the texture units of a device do: fetches from textures, and surfaces.
 *
 * This header: texture and surface objects. A handle is a number, so that a wrong one is found; an
 * object that was destroyed stays, so that a use of it is reported. */
#pragma once

#include "memory/array.h"

#include "sim/texture_abi.h"

/* How an element's channel becomes 32 bits. */
enum texel_format {
    TEXEL_SIGNED_8,
    TEXEL_UNSIGNED_8,
    TEXEL_SIGNED_16,
    TEXEL_UNSIGNED_16,
    TEXEL_32,
    TEXEL_HALF,
    TEXEL_SNORM_8, /* from here on, the result is a float */
    TEXEL_UNORM_8,
    TEXEL_SNORM_16,
    TEXEL_UNORM_16,
    TEXEL_SRGB
};

/* Slices of rows of elements. */
struct texture_level {
    const char *texels;
    size_t pitch, slice; /* bytes */
    int width, height, depth;
};

union channel {
    float f;
    uint32_t u;
};

enum { TEXTURE_TEXTURE, TEXTURE_SURFACE };

struct sim_texture {
    int role; /* TEXTURE_TEXTURE or TEXTURE_SURFACE */
    bool destroyed;
    bool is_reference; /* made for a texture<> or surface<> variable: the program cannot destroy it
                        */
    bool linear, normalised, seamless;
    bool is_linear_memory;
    enum cudaTextureAddressMode address[3]; /* as they work: wrap and mirror only if normalised */
    enum texel_format format;
    unsigned channels, element; /* of an element; its bytes */
    union channel border[4];
    struct texture_level level;
    const struct cudaArray *array; /* what it reads; NULL for linear memory */
    unsigned array_flags;
    struct sim_location location, destroyed_at;
    unsigned long long number; /* its handle */
};

/* The object of a handle, or NULL. */
struct sim_texture *sim_texture_of(unsigned long long handle);

/* A new object without contents, or NULL when out of memory. Hold the device's lock, as for all
 * that changes objects. */
struct sim_texture *sim_texture_add(int role, struct sim_location location);

void sim_texture_destroy(struct sim_texture *texture, struct sim_location location);

/* cudaDeviceReset() has destroyed all of them. */
void sim_textures_forget(void);

/* At the end of the program: reports each object that was not destroyed. */
void sim_report_textures(void);
