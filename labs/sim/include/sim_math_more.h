/* Less common arithmetic of CUDA for device code: see sim_math.h. */
#ifndef SIM_MATH_MORE_H
#define SIM_MATH_MORE_H

/* ---- functions that C's library lacks. The float forms are computed in double and rounded once. */

#if !SIM_GLIBC(41)
/* sin(pi (x + quarters / 2)), exact where that is 0 or 1. */
static inline double sim_sine_of_pi(double x, int quarters) {
    double within = __builtin_remainder(x, 2.0), nearest = __builtin_rint(2.0 * within);
    double rest = 3.14159265358979323846 * (within - 0.5 * nearest);
    int quarter = ((int)nearest + quarters) & 3;
    double y = quarter & 1 ? __builtin_cos(rest) : __builtin_sin(rest);
    return quarter & 2 ? 0.0 - y : y;
}
static inline double sinpi(double x) {
    return sim_sine_of_pi(x, 0);
}
static inline double cospi(double x) {
    return sim_sine_of_pi(x, 1);
}
static inline float sinpif(float x) {
    return (float)sinpi(x);
}
static inline float cospif(float x) {
    return (float)cospi(x);
}
#endif
static inline void sincospi(double x, double *sine, double *cosine) {
    *sine = sinpi(x);
    *cosine = cospi(x);
}
static inline void sincospif(float x, float *sine, float *cosine) {
    *sine = sinpif(x);
    *cosine = cospif(x);
}
static inline double rcbrt(double x) {
    return 1.0 / __builtin_cbrt(x);
}
static inline float rcbrtf(float x) {
    return (float)rcbrt(x);
}
static inline double norm3d(double a, double b, double c) {
    return __builtin_hypot(__builtin_hypot(a, b), c);
}
static inline float norm3df(float a, float b, float c) {
    return (float)__builtin_sqrt((double)a * a + (double)b * b + (double)c * c);
}
static inline double norm4d(double a, double b, double c, double d) {
    return __builtin_hypot(__builtin_hypot(a, b), __builtin_hypot(c, d));
}
static inline float norm4df(float a, float b, float c, float d) {
    return (float)__builtin_sqrt((double)a * a + (double)b * b + (double)c * c + (double)d * d);
}
static inline double rhypot(double a, double b) {
    return 1.0 / __builtin_hypot(a, b);
}
static inline float rhypotf(float a, float b) {
    return (float)(1.0 / __builtin_sqrt((double)a * a + (double)b * b));
}
static inline double rnorm3d(double a, double b, double c) {
    return 1.0 / norm3d(a, b, c);
}
static inline float rnorm3df(float a, float b, float c) {
    return (float)(1.0 / __builtin_sqrt((double)a * a + (double)b * b + (double)c * c));
}
static inline double normcdf(double x) {
    return 0.5 * __builtin_erfc(-x * 0.70710678118654752440);
}
static inline float normcdff(float x) {
    return (float)normcdf(x);
}
static inline float fdividef(float a, float b) {
    return a / b;
}

/* What the compiler may assume; it does not use this here. */
#define __builtin_assume(condition) ((void)0)

#endif
