/* Functions of CUDA that the C library lacks: sim/abi.h declares them. They are computed in long
 * double, so that each error is below one unit in the last place of the double result; CUDA allows
 * between 1 and 8. */
#include "sim/abi.h"

#include <math.h>
#include <stdbool.h>

static const long double sqrt_half = 0.707106781186547524400844362104849039L;
static const long double root_of_pi = 1.772453850905516027298167483341145183L;

/* exp(x * x) * erfc(x) for x > 0. */
static long double scaled_erfc(long double x) {
    if (x < 26.0L) {
        return expl(x * x) * erfcl(x);
    }
    long double term = 1.0L, sum = 1.0L, step = 0.5L / (x * x);
    for (int k = 1; k < 10; k++) {
        sum += term *= -(2 * k - 1) * step;
    }
    return sum / (x * root_of_pi);
}

double sim_erfcx(double x) {
    return x > 0.0 ? (double)scaled_erfc(x) : (double)(expl((long double)x * x) * erfcl(x));
}

/* The x > 0 with erfc(x) = y, for 0 < y <= 1/2: Newton's method on the logarithm, which is nearly
 * a parabola. */
static long double inverse_erfc(long double y) {
    long double x = sqrtl(-logl(y)), target = logl(y);
    for (int i = 0; i < 60; i++) {
        long double scaled = scaled_erfc(x);
        long double step = (logl(scaled) - x * x - target) * scaled * root_of_pi / 2;
        x += step;
        if (fabsl(step) <= 1e-17L * x) {
            break;
        }
    }
    return x;
}

/* The x with erf(x) = y, for |y| <= 1/2: Newton's method. */
static long double inverse_erf(long double y) {
    long double x = y * root_of_pi / 2;
    for (int i = 0; i < 60; i++) {
        long double step = (erfl(x) - y) * expl(x * x) * root_of_pi / 2;
        x -= step;
        if (fabsl(step) <= 1e-17L * fabsl(x)) {
            break;
        }
    }
    return x;
}

/* erfcinv() of a long double within (0, 2). */
static long double erfc_inverse(long double y) {
    if (y <= 0.5L) {
        return inverse_erfc(y);
    }
    return y < 1.5L ? inverse_erf(1.0L - y) : -inverse_erfc(2.0L - y);
}

double sim_erfinv(double y) {
    if (!(fabs(y) < 1.0)) {
        return fabs(y) > 1.0 || y != y ? NAN : copysign(INFINITY, y);
    }
    if (y == 0.0) {
        return y;
    }
    if (fabs(y) <= 0.5) {
        return (double)inverse_erf(y);
    }
    return copysign((double)inverse_erfc(1.0L - fabsl(y)), y);
}

double sim_erfcinv(double y) {
    if (!(y > 0.0 && y < 2.0)) {
        return y == 0.0 ? INFINITY : y == 2.0 ? -INFINITY : NAN;
    }
    return (double)erfc_inverse(y);
}

double sim_normcdf(double x) {
    return (double)(0.5L * erfcl(-(long double)x * sqrt_half));
}

double sim_normcdfinv(double p) {
    if (!(p > 0.0 && p < 1.0)) {
        return p == 0.0 ? -INFINITY : p == 1.0 ? INFINITY : NAN;
    }
    return (double)(-2.0L * sqrt_half * erfc_inverse(2.0L * p));
}

/* The modified Bessel functions of the first kind, of order 0 or 1, for x >= 0: the power series,
 * whose terms are all positive, or the asymptotic one. */
static long double bessel_i(int order, long double x) {
    if (x > 60.0L) {
        long double term = 1.0L, sum = 1.0L;
        for (int k = 1; k < 60; k++) {
            sum += term *= ((2 * k - 1) * (2 * k - 1) - 4 * order) / (8.0L * k * x);
        }
        return expl(x) / sqrtl(2.0L * root_of_pi * root_of_pi * x) * sum;
    }
    long double term = order ? x / 2 : 1.0L, sum = term;
    for (int k = 1; term > 1e-22L * sum; k++) {
        sum += term *= x * x / (4.0L * k * (k + order));
    }
    return sum;
}

double sim_bessel_i0(double x) {
    return isfinite(x) ? (double)bessel_i(0, fabsl(x)) : x * x;
}

double sim_bessel_i1(double x) {
    return x != 0.0 && isfinite(x) ? copysign((double)bessel_i(1, fabsl(x)), x) : x;
}

double sim_norm(int count, const double *x, bool reciprocal) {
    long double sum = 0.0L;
    bool infinite = false;
    for (int i = 0; i < count; i++) {
        infinite = infinite || isinf(x[i]);
        sum += (long double)x[i] * x[i];
    }
    long double norm = infinite ? (long double)INFINITY : sqrtl(sum);
    return (double)(reciprocal ? 1.0L / norm : norm);
}
