/* The part of the runtime API for CUDA arrays, textures and surfaces. */
#pragma once

#include "surface_types.h"
#include "texture_types.h"

/* ---- arrays */

SIM_EXTERN_C struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                                enum cudaChannelFormatKind f);
SIM_API(cudaMallocArray, (array, format, width, height, flags), cudaArray_t *array,
        const struct cudaChannelFormatDesc *format, size_t width, size_t height SIM_DEFAULT(0),
        unsigned int flags SIM_DEFAULT(0))
SIM_API(cudaMalloc3DArray, (array, format, extent, flags), cudaArray_t *array,
        const struct cudaChannelFormatDesc *format, struct cudaExtent extent,
        unsigned int flags SIM_DEFAULT(0))
SIM_API(cudaFreeArray, (array), cudaArray_t array)
SIM_API(cudaArrayGetInfo, (format, extent, flags, array), struct cudaChannelFormatDesc *format,
        struct cudaExtent *extent, unsigned int *flags, cudaArray_t array)
SIM_API(cudaGetChannelDesc, (format, array), struct cudaChannelFormatDesc *format,
        cudaArray_const_t array)

/* ---- copies of arrays. Widths, pitches and offsets along x are in bytes. */

SIM_API(cudaMemcpy2DToArray, (to, x, y, from, pitch, width, height, kind), cudaArray_t to, size_t x,
        size_t y, const void *from, size_t pitch, size_t width, size_t height,
        enum cudaMemcpyKind kind)
SIM_API(cudaMemcpy2DToArrayAsync, (to, x, y, from, pitch, width, height, kind, stream),
        cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch, size_t width,
        size_t height, enum cudaMemcpyKind kind, cudaStream_t stream SIM_DEFAULT(0))
SIM_API(cudaMemcpy2DFromArray, (to, pitch, from, x, y, width, height, kind), void *to, size_t pitch,
        cudaArray_const_t from, size_t x, size_t y, size_t width, size_t height,
        enum cudaMemcpyKind kind)
SIM_API(cudaMemcpy2DArrayToArray, (to, to_x, to_y, from, from_x, from_y, width, height, kind),
        cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from, size_t from_x,
        size_t from_y, size_t width, size_t height,
        enum cudaMemcpyKind kind SIM_DEFAULT(cudaMemcpyDeviceToDevice))

/* Deprecated: `bytes` bytes from (x, y) on, row after row. */
SIM_API(cudaMemcpyToArray, (to, x, y, from, bytes, kind), cudaArray_t to, size_t x, size_t y,
        const void *from, size_t bytes, enum cudaMemcpyKind kind)

/* ---- texture and surface objects */

SIM_API(cudaCreateTextureObject, (texture, resource, description, view),
        cudaTextureObject_t *texture, const struct cudaResourceDesc *resource,
        const struct cudaTextureDesc *description, const void *view)
SIM_API(cudaDestroyTextureObject, (texture), cudaTextureObject_t texture)
SIM_API(cudaCreateSurfaceObject, (surface, resource), cudaSurfaceObject_t *surface,
        const struct cudaResourceDesc *resource)
SIM_API(cudaDestroySurfaceObject, (surface), cudaSurfaceObject_t surface)
