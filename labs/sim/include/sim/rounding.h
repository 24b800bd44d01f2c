/* One rounding in a given direction: __fadd_rd(), __double2float_ru(), __ll2float_rz() and the
 * rest.
 *
 * The exact result of an operation on floats is first rounded to a double "to odd": if it is not a
 * double, to the one of its two neighbours whose last bit is 1. That keeps on which side of every
 * float, and of the middle between two floats, the exact result lies, because a double has more
 * than two bits more; so a second rounding, to float, gives what one rounding would. */
#pragma once

#include "sim/abi.h"
#include "sim/launch.h"

/* Arithmetic that accesses no memory. A traced program calls it, so that its branches are not taken
 * for the kernel's own. It takes and returns numbers alone: g++ does not report the store of a
 * structure that a function returns. */
#ifdef __SANITIZE_THREAD__
#define SIM_PURE static SIM_UNTRACED __attribute__((unused))
#else
#define SIM_PURE static inline
#endif

/* What takes or returns structures is inlined, so that each access is reported, at the program's
 * own line. */
#define SIM_INLINED static inline __attribute__((always_inline))
#define SIM_INLINE_MEMBER inline __attribute__((always_inline))
#define SIM_FOLDED constexpr inline __attribute__((always_inline))

/* ---- no contraction: the compiler may fuse a*b+c, but not through this */

#ifdef __x86_64__
#define SIM_FLOAT_REGISTER "+x"
#else
#define SIM_FLOAT_REGISTER "+w"
#endif
static inline float sim_rounded(float x) {
    __asm__("" : SIM_FLOAT_REGISTER(x));
    return x;
}
static inline double sim_rounded(double x) {
    __asm__("" : SIM_FLOAT_REGISTER(x));
    return x;
}

/* ---- the same bits as another type */

template <class To, class From> static inline To sim_as(From x) {
    static_assert(sizeof(To) == sizeof(From), "the same bits have the same size");
    To y;
    __builtin_memcpy(&y, &x, sizeof y);
    return y;
}

/* ---- to float, in one direction */

/* x rounded to float. x must be exact or rounded to odd. */
static inline float sim_narrow(double x, sim_rounding mode) {
    float y = (float)x;
    bool above = (double)y > x, below = (double)y < x; /* of x; neither, if x is no number */
    bool toward = false, away = false;                 /* from zero: the neighbour to take */
    if (mode == SIM_ROUND_DOWN) {
        toward = above && y > 0.0f;
        away = above && !toward;
    } else if (mode == SIM_ROUND_UP) {
        toward = below && y < 0.0f;
        away = below && !toward;
    } else if (mode == SIM_ROUND_ZERO) {
        toward = x > 0.0 ? above : below;
    }
    return sim_as<float>(sim_as<unsigned>(y) + (unsigned)away - (unsigned)toward);
}

/* `sum`, whose exact value is sum + error, rounded to odd. */
static inline double sim_to_odd(double sum, double error) {
    long long bits = sim_as<long long>(sum);
    bool inexact = error > 0.0 || error < 0.0;
    if (inexact && !(bits & 1)) {
        bits += (error > 0.0) == (sum > 0.0) ? 1 : -1;
    }
    return sim_as<double>(bits);
}

/* a + b, rounded to odd. Neither may be so large that the sum overflows. */
static inline double sim_sum_to_odd(double a, double b) {
    double sum = sim_rounded(a + b), part = sim_rounded(sum - a);
    return sim_to_odd(sum, (a - sim_rounded(sum - part)) + (b - part));
}

/* An exact sum of zero is -0 when rounding down, unless both numbers are +0. */
static inline float sim_narrow_sum(double a, double b, sim_rounding mode) {
    double sum = sim_sum_to_odd(a, b);
    if (sum == 0.0 && mode == SIM_ROUND_DOWN) {
        return sim_as<long long>(a) == 0 && sim_as<long long>(b) == 0 ? 0.0f : -0.0f;
    }
    return sim_narrow(sum, mode);
}

SIM_PURE float sim_add(float a, float b, sim_rounding mode) {
    return sim_narrow_sum((double)a, (double)b, mode);
}
SIM_PURE float sim_multiply(float a, float b, sim_rounding mode) {
    return sim_narrow(sim_rounded((double)a * b), mode); /* 48 bits: exact */
}
SIM_PURE float sim_fused(float a, float b, float c, sim_rounding mode) {
    return sim_narrow_sum(sim_rounded((double)a * b), (double)c, mode);
}
/* A quotient or a root of floats that is no float is farther from every float than 2^-49 times its
 * own value, and a double nearer to it than 2^-52. */
SIM_PURE float sim_divide(float a, float b, sim_rounding mode) {
    return sim_narrow(sim_rounded((double)a / b), mode);
}
SIM_PURE float sim_root(float a, sim_rounding mode) {
    return sim_narrow(sim_rounded(__builtin_sqrt((double)a)), mode);
}

#define SIM_ONE_DIRECTION(T, name, arguments, mode, core, ...)                                     \
    SIM_INLINED T name arguments { return core(__VA_ARGS__, mode); }
#define SIM_DIRECTED(T, name, arguments, ...)                                                      \
    SIM_ONE_DIRECTION(T, name##_rz, arguments, SIM_ROUND_ZERO, __VA_ARGS__)                        \
    SIM_ONE_DIRECTION(T, name##_rd, arguments, SIM_ROUND_DOWN, __VA_ARGS__)                        \
    SIM_ONE_DIRECTION(T, name##_ru, arguments, SIM_ROUND_UP, __VA_ARGS__)

SIM_DIRECTED(float, __fadd, (float a, float b), sim_add, a, b)
SIM_DIRECTED(float, __fsub, (float a, float b), sim_add, a, -b)
SIM_DIRECTED(float, __fmul, (float a, float b), sim_multiply, a, b)
SIM_DIRECTED(float, __fmaf, (float a, float b, float c), sim_fused, a, b, c)
SIM_DIRECTED(float, __fmaf_ieee, (float a, float b, float c), sim_fused, a, b, c)
SIM_DIRECTED(float, __fdiv, (float a, float b), sim_divide, a, b)
SIM_DIRECTED(float, __frcp, (float a), sim_divide, 1.0f, a)
SIM_DIRECTED(float, __fsqrt, (float a), sim_root, a)

/* ---- to nearest, which is the processor's own way */

static inline float __fadd_rn(float a, float b) {
    return sim_rounded(sim_rounded(a) + sim_rounded(b));
}
static inline float __fsub_rn(float a, float b) {
    return sim_rounded(sim_rounded(a) - sim_rounded(b));
}
static inline float __fmul_rn(float a, float b) { return sim_rounded(a * b); }
static inline float __fdiv_rn(float a, float b) { return a / b; }
static inline float __frcp_rn(float a) { return 1.0f / a; }
static inline float __fsqrt_rn(float a) { return __builtin_sqrtf(a); }
static inline float __fmaf_rn(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
static inline float __fmaf_ieee_rn(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
static inline double __dadd_rn(double a, double b) {
    return sim_rounded(sim_rounded(a) + sim_rounded(b));
}
static inline double __dsub_rn(double a, double b) {
    return sim_rounded(sim_rounded(a) - sim_rounded(b));
}
static inline double __dmul_rn(double a, double b) { return sim_rounded(a * b); }
static inline double __ddiv_rn(double a, double b) { return a / b; }
static inline double __drcp_rn(double a) { return 1.0 / a; }
static inline double __dsqrt_rn(double a) { return __builtin_sqrt(a); }
static inline double __fma_rn(double a, double b, double c) { return __builtin_fma(a, b, c); }

/* ---- doubles, in one direction: the nearest one and the sign of what it lacks, which an exact
 * fused operation tells; near the ends of the range the runtime decides */

/* Is every step of the computation of x, and of what it lacks, exact? */
static inline bool sim_is_central(double x) {
    return __builtin_fabs(x) > 0x1p-900 && __builtin_fabs(x) < 0x1p1000;
}
/* `nearest` or its neighbour; the exact result is nearest + rest. */
static inline double sim_directed(double nearest, double rest, sim_rounding mode) {
    long long bits = sim_as<long long>(nearest), away = nearest > 0.0 ? 1 : -1;
    bool down = mode == SIM_ROUND_DOWN || (mode == SIM_ROUND_ZERO && nearest > 0.0);
    if (down ? rest < 0.0 : rest > 0.0) {
        bits += down ? -away : away; /* one more in the bits is farther from zero */
    }
    return sim_as<double>(bits);
}
SIM_PURE double sim_add(double a, double b, sim_rounding mode) {
    double sum = sim_rounded(a + b), part = sim_rounded(sum - a);
    if (!sim_is_central(sum)) {
        return sim_double_add(a, b, mode);
    }
    return sim_directed(sum, (a - sim_rounded(sum - part)) + (b - part), mode);
}
SIM_PURE double sim_multiply(double a, double b, sim_rounding mode) {
    double product = sim_rounded(a * b);
    if (!sim_is_central(product)) {
        return sim_double_multiply(a, b, mode);
    }
    return sim_directed(product, __builtin_fma(a, b, -product), mode);
}
SIM_PURE double sim_divide(double a, double b, sim_rounding mode) {
    double quotient = sim_rounded(a / b);
    if (!sim_is_central(quotient) || !sim_is_central(a) || !sim_is_central(b)) {
        return sim_double_divide(a, b, mode);
    }
    double rest = __builtin_fma(-quotient, b, a);
    return sim_directed(quotient, b < 0.0 ? -rest : rest, mode);
}
SIM_PURE double sim_root(double a, sim_rounding mode) {
    if (!sim_is_central(a)) {
        return sim_double_root(a, mode);
    }
    double root = sim_rounded(__builtin_sqrt(a));
    return sim_directed(root, __builtin_fma(-root, root, a), mode);
}

SIM_DIRECTED(double, __dadd, (double a, double b), sim_add, a, b)
SIM_DIRECTED(double, __dsub, (double a, double b), sim_add, a, -b)
SIM_DIRECTED(double, __dmul, (double a, double b), sim_multiply, a, b)
SIM_DIRECTED(double, __fma, (double a, double b, double c), sim_double_fused, a, b, c)
SIM_DIRECTED(double, __ddiv, (double a, double b), sim_divide, a, b)
SIM_DIRECTED(double, __drcp, (double a), sim_divide, 1.0, a)
SIM_DIRECTED(double, __dsqrt, (double a), sim_root, a)

#undef SIM_DIRECTED
#undef SIM_ONE_DIRECTION
