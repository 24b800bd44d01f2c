/* fmin() and fmax() of the C library return either of two zeros; the device orders them: -0 < +0.
 * Here for the file that defines them (labs/sim/src/base/min_max.c), and for programs, which inline
 * them. */
#pragma once

#define SIM_MIN_MAX(INLINE, T, min, max, NO_THROW)                                                 \
    INLINE T min(T a, T b) NO_THROW {                                                              \
        if (__builtin_isnan(a) || __builtin_isnan(b)) {                                            \
            return __builtin_isnan(a) ? b : a;                                                     \
        }                                                                                          \
        return a < b || (a == b && __builtin_signbit(a)) ? a : b;                                  \
    }                                                                                              \
    INLINE T max(T a, T b) NO_THROW {                                                              \
        if (__builtin_isnan(a) || __builtin_isnan(b)) {                                            \
            return __builtin_isnan(a) ? b : a;                                                     \
        }                                                                                          \
        return a > b || (a == b && __builtin_signbit(b)) ? a : b;                                  \
    }
