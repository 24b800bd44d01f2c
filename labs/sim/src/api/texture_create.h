/* Making texture and surface objects of what a program describes. Hold the device's lock. */
#pragma once

#include "texture/texture.h"

/* The handle of a new object, or the error of a driver. */
cudaError_t sim_create_texture(unsigned long long *handle, const struct cudaResourceDesc *resource,
                               const struct cudaTextureDesc *description,
                               struct sim_location location);
cudaError_t sim_create_surface(unsigned long long *handle, const struct cudaResourceDesc *resource,
                               struct sim_location location);

/* How far `pointer` is past a multiple of the device's alignment for textures. Every allocation
 * begins at one. */
size_t sim_texture_misalignment(const void *pointer);
