/* Texture and surface references: variables `texture<float, 2> image;` and `surface<void, 2> out;`
 * at file scope, which CUDA 12 removed. Books use them, and g++ warns of them. The translator
 * writes sim_texture_reference for `texture`, so that a program may have a `texture` of its own.
 *
 * A texture object stands behind each reference while it is bound. */
#pragma once

#include "channel_descriptor.h"
#include "sim/texture_abi.h"

#define SIM_REFERENCE_GONE                                                                         \
    __attribute__((deprecated("CUDA 12 removed texture and surface references: use "               \
                              "cudaCreateTextureObject() or cudaCreateSurfaceObject()")))

/* The object first: sim_reference_object() reads it. */
struct sim_reference {
    mutable unsigned long long sim_object = 0;
};

struct textureReference : sim_reference {
    int normalized = 0;
    cudaTextureFilterMode filterMode = cudaFilterModePoint;
    cudaTextureAddressMode addressMode[3] = {cudaAddressModeClamp, cudaAddressModeClamp,
                                             cudaAddressModeClamp};
    cudaChannelFormatDesc channelDesc = {0, 0, 0, 0, cudaChannelFormatKindNone};
    int sRGB = 0;
    unsigned int maxAnisotropy = 0;
    cudaTextureFilterMode mipmapFilterMode = cudaFilterModePoint;
    float mipmapLevelBias = 0, minMipmapLevelClamp = 0, maxMipmapLevelClamp = 0;
    int disableTrilinearOptimization = 0;
    cudaTextureReadMode sim_read_mode = cudaReadModeElementType;
};

template <class T, int dimensions = cudaTextureType1D,
          cudaTextureReadMode mode = cudaReadModeElementType>
struct SIM_REFERENCE_GONE sim_texture_reference : textureReference {
    sim_texture_reference(int normalized_ = 0, cudaTextureFilterMode filter = cudaFilterModePoint,
                          cudaTextureAddressMode address = cudaAddressModeClamp)
        : sim_texture_reference(normalized_, filter, address, cudaCreateChannelDesc<T>()) {}
    sim_texture_reference(int normalized_, cudaTextureFilterMode filter,
                          cudaTextureAddressMode address, cudaChannelFormatDesc format) {
        normalized = normalized_;
        filterMode = filter;
        addressMode[0] = addressMode[1] = addressMode[2] = address;
        channelDesc = format;
        sim_read_mode = mode;
    }
};

struct surfaceReference : sim_reference {
    cudaChannelFormatDesc channelDesc = {0, 0, 0, 0, cudaChannelFormatKindNone};
};

template <class T, int dimensions = cudaSurfaceType1D>
struct SIM_REFERENCE_GONE sim_surface_reference : surfaceReference {};

/* What a fetch returns: T, or floats instead of its 8- and 16-bit integers. */
template <class T, cudaTextureReadMode mode> struct sim_fetched {
    typedef T type;
};
#define SIM_FETCHED(T, as)                                                                         \
    template <> struct sim_fetched<T, cudaReadModeNormalizedFloat> {                               \
        typedef as type;                                                                           \
    };
#define SIM_FETCHED_OF(T, name)                                                                    \
    SIM_FETCHED(T, float)                                                                          \
    SIM_FETCHED(name##1, float1) SIM_FETCHED(name##2, float2) SIM_FETCHED(name##4, float4)
SIM_FETCHED(char, float)
SIM_FETCHED_OF(signed char, char)
SIM_FETCHED_OF(unsigned char, uchar)
SIM_FETCHED_OF(short, short)
SIM_FETCHED_OF(unsigned short, ushort)
#undef SIM_FETCHED_OF
#undef SIM_FETCHED
