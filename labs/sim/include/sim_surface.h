/* The surface functions of the device. x is in bytes. */
#pragma once

#include "sim_texture_abi.h"
#include "sim_texture_reference.h"

/* A T from the bytes of a surface, and back. */
template <class T> static inline T sim_of_surface(sim_texel v) {
    static_assert(sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8 ||
                      sizeof(T) == 16,
                  "a surface access has 1, 2, 4, 8 or 16 bytes");
    if constexpr (sizeof(T) == 1) {
        return __builtin_bit_cast(T, (unsigned char)v.xy);
    } else if constexpr (sizeof(T) == 2) {
        return __builtin_bit_cast(T, (unsigned short)v.xy);
    } else if constexpr (sizeof(T) == 4) {
        return __builtin_bit_cast(T, (unsigned)v.xy);
    } else if constexpr (sizeof(T) == 8) {
        return __builtin_bit_cast(T, v.xy);
    } else {
        return __builtin_bit_cast(T, v);
    }
}
template <class T> static inline sim_texel sim_to_surface(T value) {
    static_assert(sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8 ||
                      sizeof(T) == 16,
                  "a surface access has 1, 2, 4, 8 or 16 bytes");
    if constexpr (sizeof(T) == 1) {
        return {__builtin_bit_cast(unsigned char, value), 0};
    } else if constexpr (sizeof(T) == 2) {
        return {__builtin_bit_cast(unsigned short, value), 0};
    } else if constexpr (sizeof(T) == 4) {
        return {__builtin_bit_cast(unsigned, value), 0};
    } else if constexpr (sizeof(T) == 8) {
        return {__builtin_bit_cast(unsigned long long, value), 0};
    } else {
        return __builtin_bit_cast(sim_texel, value);
    }
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations" /* surface references */

/* `read` and `write` are the functions. (a, b, c): the three coordinates; the rest are the
 * parameters. */
#define SIM_SURF(read, write, shape, dimensions, a, b, c, ...)                                     \
    template <class T>                                                                             \
    static inline T read(cudaSurfaceObject_t s, __VA_ARGS__,                                       \
                         cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap, SIM_SITE) {          \
        return sim_of_surface<T>(                                                                  \
            sim_surf_read(s, shape, a, b, c, sizeof(T), mode, sim_file, sim_line));                \
    }                                                                                              \
    template <class T>                                                                             \
    static inline void read(T *result, cudaSurfaceObject_t s, __VA_ARGS__,                         \
                            cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap, SIM_SITE) {       \
        *result = sim_of_surface<T>(                                                               \
            sim_surf_read(s, shape, a, b, c, sizeof(T), mode, sim_file, sim_line));                \
    }                                                                                              \
    template <class T>                                                                             \
    static inline void write(T value, cudaSurfaceObject_t s, __VA_ARGS__,                          \
                             cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap, SIM_SITE) {      \
        sim_surf_write(s, shape, a, b, c, sizeof(T), mode, sim_to_surface(value), sim_file,        \
                       sim_line);                                                                  \
    }                                                                                              \
    template <class T>                                                                             \
    static inline T read(const sim_surface_reference<void, dimensions> &reference, __VA_ARGS__,    \
                         cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap, SIM_SITE) {          \
        return sim_of_surface<T>(sim_surf_read(sim_reference_object(&reference), shape, a, b, c,   \
                                               sizeof(T), mode, sim_file, sim_line));              \
    }                                                                                              \
    template <class T>                                                                             \
    static inline void read(T *result, const sim_surface_reference<void, dimensions> &reference,   \
                            __VA_ARGS__, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap,      \
                            SIM_SITE) {                                                            \
        *result = sim_of_surface<T>(sim_surf_read(sim_reference_object(&reference), shape, a, b,   \
                                                  c, sizeof(T), mode, sim_file, sim_line));        \
    }                                                                                              \
    template <class T>                                                                             \
    static inline void write(T value, const sim_surface_reference<void, dimensions> &reference,    \
                             __VA_ARGS__, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap,     \
                             SIM_SITE) {                                                           \
        sim_surf_write(sim_reference_object(&reference), shape, a, b, c, sizeof(T), mode,          \
                       sim_to_surface(value), sim_file, sim_line);                                 \
    }

SIM_SURF(surf1Dread, surf1Dwrite, SIM_1D, cudaSurfaceType1D, x, 0, 0, int x)
SIM_SURF(surf2Dread, surf2Dwrite, SIM_2D, cudaSurfaceType2D, x, y, 0, int x, int y)
SIM_SURF(surf3Dread, surf3Dwrite, SIM_3D, cudaSurfaceType3D, x, y, z, int x, int y, int z)
SIM_SURF(surf1DLayeredread, surf1DLayeredwrite, SIM_1D_LAYERED, cudaSurfaceType1DLayered, x, 0,
         layer, int x, int layer)
SIM_SURF(surf2DLayeredread, surf2DLayeredwrite, SIM_2D_LAYERED, cudaSurfaceType2DLayered, x, y,
         layer, int x, int y, int layer)
SIM_SURF(surfCubemapread, surfCubemapwrite, SIM_CUBE, cudaSurfaceTypeCubemap, x, y, face, int x,
         int y, int face)
SIM_SURF(surfCubemapLayeredread, surfCubemapLayeredwrite, SIM_CUBE_LAYERED,
         cudaSurfaceTypeCubemapLayered, x, y, layer_face, int x, int y, int layer_face)
#undef SIM_SURF
#pragma GCC diagnostic pop
