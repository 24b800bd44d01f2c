/* Less common arithmetic of CUDA for device code: see sim_math.h. */
#pragma once

#include "sim_math.h"

/* ---- functions that C's library lacks. The float forms are computed in double and rounded once.
 */

#if !SIM_GLIBC(41)
/* sin(pi (x + quarters / 2)), exact where that is 0 or 1. */
static inline double sim_sine_of_pi(double x, int quarters) {
    double within = __builtin_remainder(x, 2.0), nearest = __builtin_rint(2.0 * within);
    double rest = 3.14159265358979323846 * (within - 0.5 * nearest);
    int quarter = ((int)nearest + quarters) & 3;
    double y = quarter & 1 ? __builtin_cos(rest) : __builtin_sin(rest);
    return quarter & 2 ? 0.0 - y : y;
}
static inline double sinpi(double x) { return sim_sine_of_pi(x, 0); }
static inline double cospi(double x) { return sim_sine_of_pi(x, 1); }
static inline float sinpif(float x) { return (float)sinpi(x); }
static inline float cospif(float x) { return (float)cospi(x); }
#endif
static inline void sincospi(double x, double *sine, double *cosine) {
    *sine = sinpi(x);
    *cosine = cospi(x);
}
static inline void sincospif(float x, float *sine, float *cosine) {
    *sine = sinpif(x);
    *cosine = cospif(x);
}
/* `name` for double, `name##f` and an overload for float, with `core` for double. */
#define SIM_SPECIAL(name, namef, core)                                                             \
    static inline double name(double x) { return core(x); }                                        \
    static inline float namef(float x) { return (float)core((double)x); }                          \
    static inline float name(float x) { return namef(x); }

static inline double sim_reciprocal_cube_root(double x) { return 1.0 / __builtin_cbrt(x); }

SIM_SPECIAL(rcbrt, rcbrtf, sim_reciprocal_cube_root)
SIM_SPECIAL(erfinv, erfinvf, sim_erfinv)
SIM_SPECIAL(erfcinv, erfcinvf, sim_erfcinv)
SIM_SPECIAL(erfcx, erfcxf, sim_erfcx)
SIM_SPECIAL(normcdf, normcdff, sim_normcdf)
SIM_SPECIAL(normcdfinv, normcdfinvf, sim_normcdfinv)
SIM_SPECIAL(cyl_bessel_i0, cyl_bessel_i0f, sim_bessel_i0)
SIM_SPECIAL(cyl_bessel_i1, cyl_bessel_i1f, sim_bessel_i1)

#undef SIM_SPECIAL

/* The forms for float of what C's library has for double alone, or as another name. */
static inline float sinpi(float x) { return sinpif(x); }
static inline float cospi(float x) { return cospif(x); }
static inline void sincospi(float x, float *sine, float *cosine) { sincospif(x, sine, cosine); }
static inline void sincos(float x, float *sine, float *cosine) {
    __builtin_sincosf(x, sine, cosine);
}
static inline float exp10(float x) { return exp10f(x); }
static inline float j0(float x) { return j0f(x); }
static inline float j1(float x) { return j1f(x); }
static inline float jn(int n, float x) { return jnf(n, x); }
static inline float y0(float x) { return y0f(x); }
static inline float y1(float x) { return y1f(x); }
static inline float yn(int n, float x) { return ynf(n, x); }
static inline float fdividef(float a, float b) { return a / b; }

/* ---- lengths of vectors, and 1 divided by them */

/* The numbers, as doubles, lie on the stack: they are no access of the kernel. */
template <class... T> SIM_PURE double sim_norm_of(bool reciprocal, T... x) {
    const double numbers[] = {(double)x...};
    return sim_norm((int)sizeof...(x), numbers, reciprocal);
}
static inline double norm3d(double a, double b, double c) { return sim_norm_of(false, a, b, c); }
static inline float norm3df(float a, float b, float c) {
    return (float)sim_norm_of(false, a, b, c);
}
static inline double norm4d(double a, double b, double c, double d) {
    return sim_norm_of(false, a, b, c, d);
}
static inline float norm4df(float a, float b, float c, float d) {
    return (float)sim_norm_of(false, a, b, c, d);
}
static inline double rhypot(double a, double b) { return sim_norm_of(true, a, b); }
static inline float rhypotf(float a, float b) { return (float)sim_norm_of(true, a, b); }
static inline double rnorm3d(double a, double b, double c) { return sim_norm_of(true, a, b, c); }
static inline float rnorm3df(float a, float b, float c) {
    return (float)sim_norm_of(true, a, b, c);
}
static inline double rnorm4d(double a, double b, double c, double d) {
    return sim_norm_of(true, a, b, c, d);
}
static inline float rnorm4df(float a, float b, float c, float d) {
    return (float)sim_norm_of(true, a, b, c, d);
}

/* Of `count` numbers in memory, each of which the kernel loads. */
template <class T> SIM_INLINED long double sim_sum_of_squares(int count, const T *x) {
    long double sum = 0.0L;
    bool infinite = false;
    for (int i = 0; i < count; i++) {
        long double value = x[i];
        infinite = infinite || __builtin_isinf((double)value);
        sum += value * value;
    }
    return infinite ? (long double)__builtin_inf() : sum;
}
static inline double norm(int count, const double *x) {
    return (double)__builtin_sqrtl(sim_sum_of_squares(count, x));
}
static inline float normf(int count, const float *x) {
    return (float)__builtin_sqrtl(sim_sum_of_squares(count, x));
}
static inline double rnorm(int count, const double *x) {
    return (double)(1.0L / __builtin_sqrtl(sim_sum_of_squares(count, x)));
}
static inline float rnormf(int count, const float *x) {
    return (float)(1.0L / __builtin_sqrtl(sim_sum_of_squares(count, x)));
}

/* ---- the smaller and larger of two integers */

static inline unsigned umin(unsigned a, unsigned b) { return a < b ? a : b; }
static inline unsigned umax(unsigned a, unsigned b) { return a > b ? a : b; }
static inline long long llmin(long long a, long long b) { return a < b ? a : b; }
static inline long long llmax(long long a, long long b) { return a > b ? a : b; }
static inline unsigned long long ullmin(unsigned long long a, unsigned long long b) {
    return a < b ? a : b;
}
static inline unsigned long long ullmax(unsigned long long a, unsigned long long b) {
    return a > b ? a : b;
}
