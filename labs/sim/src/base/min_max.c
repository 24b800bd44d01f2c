/* fmin() and fmax() of the C library return either of two zeros; the device orders them: -0 < +0.
 * A program is linked with these before it is linked with the C library's. */
#include <math.h>

#define SIM_MIN_MAX(T, min, max)                                                                   \
    T min(T a, T b) {                                                                              \
        if (isnan(a) || isnan(b)) {                                                                \
            return isnan(a) ? b : a;                                                               \
        }                                                                                          \
        return a < b || (a == b && signbit(a)) ? a : b;                                            \
    }                                                                                              \
    T max(T a, T b) {                                                                              \
        if (isnan(a) || isnan(b)) {                                                                \
            return isnan(a) ? b : a;                                                               \
        }                                                                                          \
        return a > b || (a == b && signbit(b)) ? a : b;                                            \
    }

SIM_MIN_MAX(float, fminf, fmaxf)
SIM_MIN_MAX(double, fmin, fmax)
