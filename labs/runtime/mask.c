#include "mask.h"

#include <stdint.h>

const float mask_ando3[9] = {
    -0.112737f, 0.0f, 0.112737f, //
    -0.274526f, 0.0f, 0.274526f, //
    -0.112737f, 0.0f, 0.112737f,
};

const float mask_ando5[25] = {
    -0.003776f, -0.010199f, 0.0f, 0.010199f, 0.003776f, //
    -0.026786f, -0.070844f, 0.0f, 0.070844f, 0.026786f, //
    -0.046548f, -0.122572f, 0.0f, 0.122572f, 0.046548f, //
    -0.026786f, -0.070844f, 0.0f, 0.070844f, 0.026786f, //
    -0.003776f, -0.010199f, 0.0f, 0.010199f, 0.003776f,
};

/* exp(x) for 0 <= x <= 700. The C library's differs in the last bit from one version to the next.
 * One operation a statement: a compiler may fuse a*b + c of one expression, not across two. */
static double exponential(double x) {
    int halvings = 0;
    while (x > 0.5) {
        x *= 0.5;
        halvings++;
    }
    double term = 1.0, sum = 1.0;
    for (int k = 1; k < 20; k++) {
        term *= x;
        term /= k;
        sum += term;
    }
    for (; halvings > 0; halvings--)
        sum *= sum;
    return sum;
}

void mask_gaussian(int radius, double sigma, float *mask) {
    double w[MASK_MAX_RADIUS + 1];
    double twice = 2.0 * sigma;
    twice *= sigma;
    for (int d = 0; d <= radius; d++) {
        double x = d == 0 ? 0.0 : d * d / twice;
        w[d] = x > 700.0 ? 0.0 : 1.0 / exponential(x);
    }
    double product[MASK_MAX_SIZE];
    double total = 0.0;
    int n = 0;
    for (int y = -radius; y <= radius; y++)
        for (int x = -radius; x <= radius; x++) {
            product[n] = w[x < 0 ? -x : x] * w[y < 0 ? -y : y];
            total += product[n];
            n++;
        }
    for (int i = 0; i < n; i++)
        mask[i] = (float)(product[i] / total);
}

static uint64_t splitmix64(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

void mask_random(int radius, unsigned long long seed, float *mask) {
    uint64_t state = seed;
    double u[MASK_MAX_SIZE];
    double total = 0.0;
    int n = (2 * radius + 1) * (2 * radius + 1);
    for (int k = 0; k < n; k++) {
        u[k] = (double)((splitmix64(&state) >> 40) + 1) / 16777216.0;
        total += u[k];
    }
    for (int k = 0; k < n; k++)
        mask[k] = (float)(u[k] / total);
}
