/* fmin() and fmax() of the C library return either of two zeros; the device orders them: -0 < +0.
 * Here for the file that defines them (labs/sim/src/base/min_max.c), and for programs, which inline
 * them. */
#pragma once

#define SIM_MIN_MAX(INLINE, T, min, max, NO_THROW)                                                 \
    SIM_MIN_OR_MAX(INLINE, T, min, <, a, NO_THROW)                                                 \
    SIM_MIN_OR_MAX(INLINE, T, max, >, b, NO_THROW)
/* sign: of two equal numbers, `a` is the result where this one of them is negative. */
#define SIM_MIN_OR_MAX(INLINE, T, name, order, sign, NO_THROW)                                     \
    INLINE T name(T a, T b) NO_THROW {                                                             \
        if (__builtin_expect(!__builtin_islessgreater(a, b), 0)) {                                 \
            return __builtin_isnan(a) ? b : __builtin_isnan(b) || __builtin_signbit(sign) ? a : b; \
        }                                                                                          \
        return a order b ? a : b;                                                                  \
    }
