/* Binding texture and surface references: cudaBindTexture() and the rest, which CUDA 12 removed. */
#pragma once

#include "sim/abi.h"
#include "sim/texture_reference.h"

#include <limits.h>

static inline cudaTextureDesc sim_description(const textureReference &r) {
    cudaTextureDesc d = cudaTextureDesc();
    for (int i = 0; i < 3; i++) {
        d.addressMode[i] = r.addressMode[i];
    }
    d.filterMode = r.filterMode;
    d.readMode = r.sim_read_mode;
    d.sRGB = r.sRGB;
    d.normalizedCoords = r.normalized;
    d.maxAnisotropy = r.maxAnisotropy;
    return d;
}

/* Binds it to what `resource` describes, instead of what it was bound to. */
static inline cudaError_t sim_bind(const textureReference &r, const cudaResourceDesc &resource,
                                   const char *sim_file, int sim_line) {
    cudaTextureDesc d = sim_description(r);
    sim_site(sim_file, sim_line);
    return sim_bind_texture(&r.sim_object, &resource, &d);
}

static inline cudaError_t cudaBindTexture(size_t *offset, const textureReference *r,
                                          const void *pointer, const cudaChannelFormatDesc *format,
                                          size_t bytes = UINT_MAX, SIM_SITE) {
    cudaResourceDesc resource = cudaResourceDesc();
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.desc = *format;
    sim_site(sim_file, sim_line);
    cudaError_t error = sim_bind_range(offset, pointer, bytes, &resource.res.linear.devPtr,
                                       &resource.res.linear.sizeInBytes);
    return error != cudaSuccess ? error : sim_bind(*r, resource, sim_file, sim_line);
}
static inline cudaError_t cudaBindTexture2D(size_t *offset, const textureReference *r,
                                            const void *pointer,
                                            const cudaChannelFormatDesc *format, size_t width,
                                            size_t height, size_t pitch, SIM_SITE) {
    cudaResourceDesc resource = cudaResourceDesc();
    size_t all;
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.desc = *format;
    resource.res.pitch2D.width = width;
    resource.res.pitch2D.height = height;
    resource.res.pitch2D.pitchInBytes = pitch;
    sim_site(sim_file, sim_line);
    cudaError_t error =
        sim_bind_range(offset, pointer, pitch * height, &resource.res.pitch2D.devPtr, &all);
    return error != cudaSuccess ? error : sim_bind(*r, resource, sim_file, sim_line);
}
static inline cudaError_t cudaBindTextureToArray(const textureReference *r, cudaArray_const_t array,
                                                 const cudaChannelFormatDesc *, SIM_SITE) {
    cudaResourceDesc resource = cudaResourceDesc();
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = (cudaArray_t)array;
    return sim_bind(*r, resource, sim_file, sim_line);
}
static inline cudaError_t cudaUnbindTexture(const textureReference *r, SIM_SITE) {
    sim_site(sim_file, sim_line);
    return sim_bind_texture(&r->sim_object, nullptr, nullptr);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#define SIM_REFERENCE template <class T, int d, cudaTextureReadMode m> static inline cudaError_t
SIM_REFERENCE cudaBindTexture(size_t *offset, const sim_texture_reference<T, d, m> &r,
                              const void *pointer, const cudaChannelFormatDesc &format,
                              size_t bytes = UINT_MAX, SIM_SITE) {
    return cudaBindTexture(offset, &r, pointer, &format, bytes, sim_file, sim_line);
}
SIM_REFERENCE cudaBindTexture(size_t *offset, const sim_texture_reference<T, d, m> &r,
                              const void *pointer, size_t bytes = UINT_MAX, SIM_SITE) {
    return cudaBindTexture(offset, &r, pointer, &r.channelDesc, bytes, sim_file, sim_line);
}
SIM_REFERENCE cudaBindTexture2D(size_t *offset, const sim_texture_reference<T, d, m> &r,
                                const void *pointer, const cudaChannelFormatDesc &format,
                                size_t width, size_t height, size_t pitch, SIM_SITE) {
    return cudaBindTexture2D(offset, &r, pointer, &format, width, height, pitch, sim_file,
                             sim_line);
}
SIM_REFERENCE cudaBindTexture2D(size_t *offset, const sim_texture_reference<T, d, m> &r,
                                const void *pointer, size_t width, size_t height, size_t pitch,
                                SIM_SITE) {
    return cudaBindTexture2D(offset, &r, pointer, &r.channelDesc, width, height, pitch, sim_file,
                             sim_line);
}
SIM_REFERENCE cudaBindTextureToArray(const sim_texture_reference<T, d, m> &r,
                                     cudaArray_const_t array, const cudaChannelFormatDesc &format,
                                     SIM_SITE) {
    return cudaBindTextureToArray(&r, array, &format, sim_file, sim_line);
}
SIM_REFERENCE cudaBindTextureToArray(const sim_texture_reference<T, d, m> &r,
                                     cudaArray_const_t array, SIM_SITE) {
    return cudaBindTextureToArray(&r, array, nullptr, sim_file, sim_line);
}
SIM_REFERENCE cudaUnbindTexture(const sim_texture_reference<T, d, m> &r, SIM_SITE) {
    return cudaUnbindTexture(&r, sim_file, sim_line);
}
#undef SIM_REFERENCE

template <class T, int d>
static inline cudaError_t cudaBindSurfaceToArray(const sim_surface_reference<T, d> &r,
                                                 cudaArray_const_t array, SIM_SITE) {
    sim_site(sim_file, sim_line);
    return sim_bind_surface(&r.sim_object, array);
}
template <class T, int d>
static inline cudaError_t cudaBindSurfaceToArray(const sim_surface_reference<T, d> &r,
                                                 cudaArray_const_t array,
                                                 const cudaChannelFormatDesc &, SIM_SITE) {
    return cudaBindSurfaceToArray(r, array, sim_file, sim_line);
}
#pragma GCC diagnostic pop

/* cudaMallocArray() and cudaCreateTextureObject() are in sim/api_array.h. */
