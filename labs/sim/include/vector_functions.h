/* make_float4() and the same for each other vector type. */
#pragma once
#define __VECTOR_FUNCTIONS_H__

#include "vector_types.h"

#define SIM_MAKE(T, name)                                                                          \
    static inline name##1 make_##name##1(T x) {                                                    \
        name##1 v = {x};                                                                           \
        return v;                                                                                  \
    }                                                                                              \
    static inline name##2 make_##name##2(T x, T y) {                                               \
        name##2 v = {x, y};                                                                        \
        return v;                                                                                  \
    }                                                                                              \
    static inline name##3 make_##name##3(T x, T y, T z) {                                          \
        name##3 v = {x, y, z};                                                                     \
        return v;                                                                                  \
    }                                                                                              \
    static inline name##4 make_##name##4(T x, T y, T z, T w) {                                     \
        name##4 v = {x, y, z, w};                                                                  \
        return v;                                                                                  \
    }

SIM_MAKE(signed char, char)
SIM_MAKE(unsigned char, uchar)
SIM_MAKE(short, short)
SIM_MAKE(unsigned short, ushort)
SIM_MAKE(int, int)
SIM_MAKE(unsigned int, uint)
SIM_MAKE(long, long)
SIM_MAKE(unsigned long, ulong)
SIM_MAKE(long long, longlong)
SIM_MAKE(unsigned long long, ulonglong)
SIM_MAKE(float, float)
SIM_MAKE(double, double)

#undef SIM_MAKE

#define SIM_MAKE_ALIGNED(T, name)                                                                  \
    static inline name make_##name(T x, T y, T z, T w) {                                           \
        name v = {x, y, z, w};                                                                     \
        return v;                                                                                  \
    }

SIM_MAKE_ALIGNED(long, long4_16a)
SIM_MAKE_ALIGNED(long, long4_32a)
SIM_MAKE_ALIGNED(unsigned long, ulong4_16a)
SIM_MAKE_ALIGNED(unsigned long, ulong4_32a)
SIM_MAKE_ALIGNED(long long, longlong4_16a)
SIM_MAKE_ALIGNED(long long, longlong4_32a)
SIM_MAKE_ALIGNED(unsigned long long, ulonglong4_16a)
SIM_MAKE_ALIGNED(unsigned long long, ulonglong4_32a)
SIM_MAKE_ALIGNED(double, double4_16a)
SIM_MAKE_ALIGNED(double, double4_32a)

#undef SIM_MAKE_ALIGNED
