/* Complex numbers: cuFloatComplex (also cuComplex) and cuDoubleComplex, for the host and for
 * kernels. x is the real part, y the imaginary one. */
#pragma once
#define CU_COMPLEX_H_

#include "vector_types.h"

#include <math.h>

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

/* C names the functions of float with an f. The quotient scales by the sum of the divisor's parts
 * and the absolute value by the larger part, so that neither overflows before its result does. */
#define SIM_COMPLEX(T, C, make, f)                                                                 \
    static inline C make(T real, T imaginary) {                                                    \
        C z;                                                                                       \
        z.x = real;                                                                                \
        z.y = imaginary;                                                                           \
        return z;                                                                                  \
    }                                                                                              \
    static inline T cuCreal##f(C z) { return z.x; }                                                \
    static inline T cuCimag##f(C z) { return z.y; }                                                \
    static inline C cuConj##f(C z) { return make(z.x, -z.y); }                                     \
    static inline C cuCadd##f(C a, C b) { return make(a.x + b.x, a.y + b.y); }                     \
    static inline C cuCsub##f(C a, C b) { return make(a.x - b.x, a.y - b.y); }                     \
    static inline C cuCmul##f(C a, C b) {                                                          \
        return make(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);                                 \
    }                                                                                              \
    static inline C cuCdiv##f(C a, C b) {                                                          \
        T scale = 1 / (fabs##f(b.x) + fabs##f(b.y));                                               \
        C n = make(a.x * scale, a.y * scale), d = make(b.x * scale, b.y * scale);                  \
        T inverse = 1 / (d.x * d.x + d.y * d.y);                                                   \
        return make((n.x * d.x + n.y * d.y) * inverse, (n.y * d.x - n.x * d.y) * inverse);         \
    }                                                                                              \
    static inline T cuCabs##f(C z) {                                                               \
        T a = fabs##f(z.x), b = fabs##f(z.y);                                                      \
        T larger = a > b ? a : b, smaller = a > b ? b : a;                                         \
        T ratio = smaller / larger;                                                                \
        return larger == 0 || isinf(larger) || isinf(smaller)                                      \
                   ? a + b                                                                         \
                   : larger * sqrt##f(1 + ratio * ratio);                                          \
    }                                                                                              \
    static inline C cuCfma##f(C a, C b, C c) {                                                     \
        return make(a.x * b.x + c.x - a.y * b.y, a.x * b.y + c.y + a.y * b.x);                     \
    }

SIM_COMPLEX(float, cuFloatComplex, make_cuFloatComplex, f)
SIM_COMPLEX(double, cuDoubleComplex, make_cuDoubleComplex, )

#undef SIM_COMPLEX

static inline cuComplex make_cuComplex(float real, float imaginary) {
    return make_cuFloatComplex(real, imaginary);
}
static inline cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex z) {
    return make_cuDoubleComplex(z.x, z.y);
}
static inline cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex z) {
    return make_cuFloatComplex((float)z.x, (float)z.y);
}
