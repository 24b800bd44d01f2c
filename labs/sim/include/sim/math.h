/* Arithmetic that CUDA adds to C. The fast forms (such as __expf) are the accurate C functions
 * here: a GPU may be less accurate, not more. */
#pragma once

#include "sim/conversions.h"
#include "sim/min_max.h"

/* ---- min and max of every pair that CUDA takes, in the type that C would compare them in */

#define SIM_ORDER(A, B, R)                                                                         \
    static inline R min(A a, B b) { return (R)a < (R)b ? (R)a : (R)b; }                            \
    static inline R max(A a, B b) { return (R)a > (R)b ? (R)a : (R)b; }
#define SIM_ORDER_INTEGERS(T)                                                                      \
    SIM_ORDER(T, T, T)                                                                             \
    SIM_ORDER(unsigned T, unsigned T, unsigned T)                                                  \
    SIM_ORDER(T, unsigned T, unsigned T)                                                           \
    SIM_ORDER(unsigned T, T, unsigned T)

SIM_ORDER_INTEGERS(int)
SIM_ORDER_INTEGERS(long)
SIM_ORDER_INTEGERS(long long)

#undef SIM_ORDER_INTEGERS
#undef SIM_ORDER

extern "C" {
SIM_MIN_MAX(extern inline __attribute__((gnu_inline)), float, fminf, fmaxf, noexcept)
SIM_MIN_MAX(extern inline __attribute__((gnu_inline)), double, fmin, fmax, noexcept)
}
static inline float min(float a, float b) { return fminf(a, b); }
static inline float max(float a, float b) { return fmaxf(a, b); }
#define SIM_ORDER_REAL(A, B)                                                                       \
    static inline double min(A a, B b) { return (fmin)((double)a, (double)b); }                    \
    static inline double max(A a, B b) { return (fmax)((double)a, (double)b); }

SIM_ORDER_REAL(double, double)
SIM_ORDER_REAL(float, double)
SIM_ORDER_REAL(double, float)

#undef SIM_ORDER_REAL

/* Is the C library glibc 2.`minor` or later? It has taken up some of CUDA's names. */
#ifdef __GLIBC_PREREQ
#define SIM_GLIBC(minor) __GLIBC_PREREQ(2, minor)
#else
#define SIM_GLIBC(minor) 0
#endif

#if !SIM_GLIBC(42)
static inline float rsqrtf(float x) { return 1.0f / __builtin_sqrtf(x); }
static inline double rsqrt(double x) { return 1.0 / __builtin_sqrt(x); }
#endif
static inline float rsqrt(float x) { return rsqrtf(x); }
static inline float __frsqrt_rn(float x) { return (float)(1.0 / __builtin_sqrt((double)x)); }
static inline float __saturatef(float x) {
    return x > 1.0f ? 1.0f : x > 0.0f ? x : 0.0f; /* NaN gives 0, as on the device */
}
/* The device divides by multiplying with the reciprocal, and that of a large number is 0. */
static inline float __fdividef(float a, float b) {
    return b > 0x1p126f || b < -0x1p126f ? a * 0.0f : a / b;
}
/* glibc has functions of these names, which do nothing else. */
#define __expf(x) __builtin_expf(x)
#define __exp10f(x) __builtin_powf(10.0f, x)
#define __logf(x) __builtin_logf(x)
#define __log2f(x) __builtin_log2f(x)
#define __log10f(x) __builtin_log10f(x)
#define __powf(x, y) __builtin_powf(x, y)
#define __sinf(x) __builtin_sinf(x)
#define __cosf(x) __builtin_cosf(x)
#define __tanf(x) __builtin_tanf(x)
#define __tanhf(x) __builtin_tanhf(x)
#define __sincosf(x, sine, cosine) __builtin_sincosf(x, sine, cosine)
