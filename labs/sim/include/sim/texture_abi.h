/* The functions of the runtime that fetch from textures and access surfaces: sim/texture.h and
 * sim/surface.h call them. `file` and `line` are the kernel's, for findings. */
#pragma once

#include "surface_types.h"
#include "texture_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A fetch returns four channels of 32 bits each: integers are extended, floats are their bits. A
 * surface's access has up to 16 bytes as they are in memory. Two words, so that it travels in
 * registers and a traced kernel reports no access. */
struct sim_texel {
    unsigned long long xy, zw;
};

/* What a fetch function indexes. */
enum sim_shape {
    SIM_1D,
    SIM_2D,
    SIM_3D,
    SIM_1D_LAYERED,
    SIM_2D_LAYERED,
    SIM_CUBE,
    SIM_CUBE_LAYERED
};

struct sim_texel sim_tex1Dfetch(cudaTextureObject_t texture, int x, const char *file, int line);
struct sim_texel sim_tex1D(cudaTextureObject_t texture, float x, const char *file, int line);
struct sim_texel sim_tex2D(cudaTextureObject_t texture, float x, float y, const char *file,
                           int line);
struct sim_texel sim_tex3D(cudaTextureObject_t texture, float x, float y, float z, const char *file,
                           int line);
/* The other shapes. Coordinates that the shape has not are ignored. */
struct sim_texel sim_tex(cudaTextureObject_t texture, enum sim_shape shape, float x, float y,
                         float z, int layer, const char *file, int line);
/* Channel `channel` of the four texels that a linear filter would use. */
struct sim_texel sim_tex2Dgather(cudaTextureObject_t texture, float x, float y, int channel,
                                 const char *file, int line);

/* x is in bytes; z is a slice, a layer, or a face and layer. */
struct sim_texel sim_surf_read(cudaSurfaceObject_t surface, enum sim_shape shape, int x, int y,
                               int z, unsigned bytes, enum cudaSurfaceBoundaryMode mode,
                               const char *file, int line);
void sim_surf_write(cudaSurfaceObject_t surface, enum sim_shape shape, int x, int y, int z,
                    unsigned bytes, enum cudaSurfaceBoundaryMode mode, struct sim_texel value,
                    const char *file, int line);

/* Binds a reference to a resource; with NULL, unbinds it. *object is the reference's. */
cudaError_t sim_bind_texture(unsigned long long *object, const struct cudaResourceDesc *resource,
                             const struct cudaTextureDesc *description);
cudaError_t sim_bind_surface(unsigned long long *object, cudaArray_const_t array);
/* The aligned address at or before `pointer`, and the bytes from there on that exist, at most
 * `bytes` from the pointer. *offset: the distance of the two in bytes; an error if that is not 0
 * and offset is NULL. */
cudaError_t sim_bind_range(size_t *offset, const void *pointer, size_t bytes, void **start,
                           size_t *size);

/* The object of a texture or surface reference: its first member, read unobserved by the checks. */
unsigned long long sim_reference_object(const void *reference);

#ifdef __cplusplus
}
#endif
