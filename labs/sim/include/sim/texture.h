/* The texture functions of the device, for texture objects and for texture references. Each exists
 * twice for objects: T tex2D<T>(object, x, y), and tex2D(T *result, object, x, y). */
#pragma once

#include "sim/texture_abi.h"
#include "sim/texture_reference.h"

/* What a fetch returns, as a T. Types that no texture can have do not compile. */
template <class T> struct sim_texel_as;
#define SIM_TEXEL_SCALAR(T, word)                                                                  \
    template <> struct sim_texel_as<T> {                                                           \
        static T of(sim_texel v) { return word(T, v.xy); }                                         \
    };
#define SIM_TEXEL_VECTOR(T, name, word)                                                            \
    SIM_TEXEL_SCALAR(T, word)                                                                      \
    template <> struct sim_texel_as<name##1> {                                                     \
        static name##1 of(sim_texel v) { return {word(T, v.xy)}; }                                 \
    };                                                                                             \
    template <> struct sim_texel_as<name##2> {                                                     \
        static name##2 of(sim_texel v) { return {word(T, v.xy), word(T, v.xy >> 32)}; }            \
    };                                                                                             \
    template <> struct sim_texel_as<name##4> {                                                     \
        static name##4 of(sim_texel v) {                                                           \
            return {word(T, v.xy), word(T, v.xy >> 32), word(T, v.zw), word(T, v.zw >> 32)};       \
        }                                                                                          \
    };
#define SIM_INTEGER(T, v) ((T)(unsigned)(v))
#define SIM_FLOAT(T, v) __builtin_bit_cast(float, (unsigned)(v))
SIM_TEXEL_SCALAR(char, SIM_INTEGER)
SIM_TEXEL_VECTOR(signed char, char, SIM_INTEGER)
SIM_TEXEL_VECTOR(unsigned char, uchar, SIM_INTEGER)
SIM_TEXEL_VECTOR(short, short, SIM_INTEGER)
SIM_TEXEL_VECTOR(unsigned short, ushort, SIM_INTEGER)
SIM_TEXEL_VECTOR(int, int, SIM_INTEGER)
SIM_TEXEL_VECTOR(unsigned int, uint, SIM_INTEGER)
SIM_TEXEL_VECTOR(float, float, SIM_FLOAT)
#undef SIM_FLOAT
#undef SIM_INTEGER
#undef SIM_TEXEL_VECTOR
#undef SIM_TEXEL_SCALAR

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations" /* texture references */

/* `call` fetches from the texture object `t`; the rest are the parameters. */
#define SIM_TEX(name, call, ...)                                                                   \
    template <class T> static inline T name(cudaTextureObject_t t, __VA_ARGS__, SIM_SITE) {        \
        return sim_texel_as<T>::of(call);                                                          \
    }                                                                                              \
    template <class T>                                                                             \
    static inline void name(T *result, cudaTextureObject_t t, __VA_ARGS__, SIM_SITE) {             \
        *result = sim_texel_as<T>::of(call);                                                       \
    }
#define SIM_TEX_AND_REFERENCE(name, dimensions, call, ...)                                         \
    SIM_TEX(name, call, __VA_ARGS__)                                                               \
    template <class T, cudaTextureReadMode mode>                                                   \
    static inline typename sim_fetched<T, mode>::type name(                                        \
        const sim_texture_reference<T, dimensions, mode> &reference, __VA_ARGS__, SIM_SITE) {      \
        cudaTextureObject_t t = sim_reference_object(&reference);                                  \
        return sim_texel_as<typename sim_fetched<T, mode>::type>::of(call);                        \
    }

SIM_TEX_AND_REFERENCE(tex1Dfetch, 1, sim_tex1Dfetch(t, x, sim_file, sim_line), int x)
SIM_TEX_AND_REFERENCE(tex1D, 1, sim_tex1D(t, x, sim_file, sim_line), float x)
SIM_TEX_AND_REFERENCE(tex2D, 2, sim_tex2D(t, x, y, sim_file, sim_line), float x, float y)
SIM_TEX_AND_REFERENCE(tex3D, 3, sim_tex3D(t, x, y, z, sim_file, sim_line), float x, float y,
                      float z)
SIM_TEX_AND_REFERENCE(tex1DLayered, cudaTextureType1DLayered,
                      sim_tex(t, SIM_1D_LAYERED, x, 0, 0, layer, sim_file, sim_line), float x,
                      int layer)
SIM_TEX_AND_REFERENCE(tex2DLayered, cudaTextureType2DLayered,
                      sim_tex(t, SIM_2D_LAYERED, x, y, 0, layer, sim_file, sim_line), float x,
                      float y, int layer)
SIM_TEX_AND_REFERENCE(texCubemap, cudaTextureTypeCubemap,
                      sim_tex(t, SIM_CUBE, x, y, z, 0, sim_file, sim_line), float x, float y,
                      float z)
SIM_TEX_AND_REFERENCE(texCubemapLayered, cudaTextureTypeCubemapLayered,
                      sim_tex(t, SIM_CUBE_LAYERED, x, y, z, layer, sim_file, sim_line), float x,
                      float y, float z, int layer)
SIM_TEX(tex2Dgather, sim_tex2Dgather(t, x, y, channel, sim_file, sim_line), float x, float y,
        int channel = 0)
#undef SIM_TEX_AND_REFERENCE
#undef SIM_TEX
#pragma GCC diagnostic pop
