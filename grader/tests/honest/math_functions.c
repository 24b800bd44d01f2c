/* An honest file: math functions. */
#include <math.h>
float mixture(float x, double y);
float mixture(float x, double y) {
    float a = sinf(x) + cosf(x) + tanf(x) + expf(x) + logf(x) + sqrtf(x) + powf(x, 2.5f);
    double b = sin(y) + cos(y) + exp(y) + log2(y) + log10(y) + pow(y, 1.5) + hypot(y, 3.0) + cbrt(y);
    double c = fma(y, y, 1.0) + floor(y) + ceil(y) + round(y) + trunc(y) + rint(y) + fmod(y, 3.0);
    long d = lround(y) + lrintf(x);
    double e = fabs(y) + fmax(y, 1.0) + fmin(y, 2.0) + copysign(y, -1.0) + ldexp(y, 3) + erf(y);
    return isnan(a) || isinf(b) || !isfinite(c) || signbit(e) ? NAN : a + (float)(b + c + e) + (float)d;
}
