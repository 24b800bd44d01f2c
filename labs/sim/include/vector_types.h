/* CUDA's vector types, with their sizes and alignments on the device. */
#pragma once
#define __VECTOR_TYPES_H__ /* programs test this one */

/* T1 and T3 are aligned like T; T2 and T4 like their whole size, at most 16 bytes. */
#define SIM_VECTORS(T, name, align2, align4)                                                       \
    typedef struct name##1 { T x; }                                                                \
    name##1;                                                                                       \
    typedef struct __attribute__((aligned(align2))) name##2 { T x, y; }                            \
    name##2;                                                                                       \
    typedef struct name##3 { T x, y, z; }                                                          \
    name##3;                                                                                       \
    typedef struct __attribute__((aligned(align4))) name##4 { T x, y, z, w; }                      \
    name##4;

SIM_VECTORS(signed char, char, 2, 4)
SIM_VECTORS(unsigned char, uchar, 2, 4)
SIM_VECTORS(short, short, 4, 8)
SIM_VECTORS(unsigned short, ushort, 4, 8)
SIM_VECTORS(int, int, 8, 16)
SIM_VECTORS(unsigned int, uint, 8, 16)
SIM_VECTORS(long, long, 16, 16)
SIM_VECTORS(unsigned long, ulong, 16, 16)
SIM_VECTORS(long long, longlong, 16, 16)
SIM_VECTORS(unsigned long long, ulonglong, 16, 16)
SIM_VECTORS(float, float, 8, 16)
SIM_VECTORS(double, double, 16, 16)

#undef SIM_VECTORS

/* Four of 8 bytes, aligned to 16 or to 32. */
#define SIM_ALIGNED_VECTORS(T, name)                                                               \
    typedef struct __attribute__((aligned(16))) name##_16a {                                       \
        T x, y, z, w;                                                                              \
    } name##_16a;                                                                                  \
    typedef struct __attribute__((aligned(32))) name##_32a {                                       \
        T x, y, z, w;                                                                              \
    } name##_32a;

SIM_ALIGNED_VECTORS(long, long4)
SIM_ALIGNED_VECTORS(unsigned long, ulong4)
SIM_ALIGNED_VECTORS(long long, longlong4)
SIM_ALIGNED_VECTORS(unsigned long long, ulonglong4)
SIM_ALIGNED_VECTORS(double, double4)

#undef SIM_ALIGNED_VECTORS

/* An extent. In C++ every dimension that is left out is 1. */
typedef struct dim3 {
    unsigned int x, y, z;
#ifdef __cplusplus
    constexpr dim3(unsigned int x_ = 1, unsigned int y_ = 1, unsigned int z_ = 1)
        : x(x_), y(y_), z(z_) {}
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    constexpr operator uint3() const { return uint3{x, y, z}; }
#endif
} dim3;
