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

/* ---- integers */

static inline unsigned umin(unsigned a, unsigned b) {
    return a < b ? a : b;
}
static inline unsigned umax(unsigned a, unsigned b) {
    return a > b ? a : b;
}
static inline long long llmin(long long a, long long b) {
    return a < b ? a : b;
}
static inline long long llmax(long long a, long long b) {
    return a > b ? a : b;
}
static inline unsigned long long ullmin(unsigned long long a, unsigned long long b) {
    return a < b ? a : b;
}
static inline unsigned long long ullmax(unsigned long long a, unsigned long long b) {
    return a > b ? a : b;
}
static inline unsigned __usad(unsigned a, unsigned b, unsigned sum) {
    return (a > b ? a - b : b - a) + sum;
}
static inline unsigned __sad(int a, int b, unsigned sum) {
    return (a > b ? (unsigned)a - (unsigned)b : (unsigned)b - (unsigned)a) + sum;
}
/* The mean, rounded down or (r) up. */
static inline int __hadd(int a, int b) {
    return (int)(((long long)a + b) >> 1);
}
static inline int __rhadd(int a, int b) {
    return (int)(((long long)a + b + 1) >> 1);
}
static inline unsigned __uhadd(unsigned a, unsigned b) {
    return (unsigned)(((unsigned long long)a + b) >> 1);
}
static inline unsigned __urhadd(unsigned a, unsigned b) {
    return (unsigned)(((unsigned long long)a + b + 1) >> 1);
}
static inline long long __mul64hi(long long a, long long b) {
    return (long long)((__int128)a * b >> 64);
}
static inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    return (unsigned long long)((unsigned __int128)a * b >> 64);
}
/* Four of the eight bytes of b:a, chosen by the low three bits of each nibble of `which`. */
static inline unsigned __byte_perm(unsigned a, unsigned b, unsigned which) {
    unsigned long long bytes = (unsigned long long)b << 32 | a;
    unsigned chosen = 0;
    for (int i = 0; i < 4; i++) {
        unsigned byte = which >> 4 * i & 7u;
        chosen |= ((unsigned)(bytes >> 8 * byte) & 255u) << 8 * i;
    }
    return chosen;
}
static inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
    return (unsigned)((((unsigned long long)high << 32 | low) << (shift & 31u)) >> 32);
}
static inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
    return (unsigned)(((unsigned long long)high << 32 | low) >> (shift & 31u));
}

/* ---- halves of a double */

static inline double __hiloint2double(int high, int low) {
    return __longlong_as_double((long long)((unsigned long long)(unsigned)high << 32 |
                                            (unsigned)low));
}
static inline int __double2hiint(double x) {
    return (int)(__double_as_longlong(x) >> 32);
}
static inline int __double2loint(double x) {
    return (int)__double_as_longlong(x);
}

/* What the compiler may assume; it does not use this here. */
#define __builtin_assume(condition) ((void)0)

#endif
