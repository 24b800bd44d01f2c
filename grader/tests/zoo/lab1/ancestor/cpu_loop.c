#include "lab.h"

#include <stddef.h>

/* `value`, or the nearer end of low..high when it lies outside. */
static inline int clamp(int value, int low, int high) {
    return value < low ? low : value > high ? high : value;
}

/* ---- part A: four nested loops ---- */

void correlate_loops(const float *image, int width, int height, const float *mask, int radius,
                     enum border border, float *out) {
    const int size = 2 * radius + 1;

    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            float sum = 0.0f;
            for (int b = -radius; b <= radius; b++) {
                for (int a = -radius; a <= radius; a++) {
                    const int row = clamp(y + b, 0, height - 1);
                    const int column = clamp(x + a, 0, width - 1);
                    const int outside = row != y + b || column != x + a;
                    if (outside && border == BORDER_ZERO) {
                        continue;
                    }
                    const float pixel = image[(size_t)row * width + column];
                    sum += pixel * mask[(b + radius) * size + (a + radius)];
                }
            }
            out[(size_t)y * width + x] = sum;
        }
    }
}

/* ---- part B: the same sums in another order ---- */

/* Adds one tap of the mask to a whole row: sum[x] += coefficient * f(x + a), for x in 0..width-1,
 * where f is the image's row `line` (width floats) with its border. sum and line do not overlap;
 * `restrict` tells the compiler so. */
static inline void add_tap(float *restrict sum, const float *restrict line, int width, int a,
                           float coefficient, enum border border) {
    const int first = clamp(-a, 0, width); /* inside is first <= x < end */
    const int end = clamp(width - a, first, width);

    for (int x = first; x < end; x++) {
        sum[x] += coefficient * line[x + a];
    }
    if (border == BORDER_REPLICATE) {
        for (int x = 0; x < first; x++) {
            sum[x] += coefficient * line[0];
        }
        for (int x = end; x < width; x++) {
            sum[x] += coefficient * line[width - 1];
        }
    }
}

/* Computes row y of the result, `sum` (width floats), from all taps of the mask. */
static void correlate_row(const float *image, int width, int height, const float *mask, int radius,
                          enum border border, int y, float *sum) {
    const int size = 2 * radius + 1;

    for (int x = 0; x < width; x++) {
        sum[x] = 0.0f;
    }
    for (int b = -radius; b <= radius; b++) {
        const int row = clamp(y + b, 0, height - 1);
        if (row != y + b && border == BORDER_ZERO) {
            continue;
        }
        const float *line = image + (size_t)row * width;
        for (int a = -radius; a <= radius; a++) {
            add_tap(sum, line, width, a, mask[(b + radius) * size + (a + radius)], border);
        }
    }
}

void correlate_rows(const float *image, int width, int height, const float *mask, int radius,
                    enum border border, float *out) {
    for (int y = 0; y < height; y++) {
        correlate_row(image, width, height, mask, radius, border, y, out + (size_t)y * width);
    }
}

/* ---- part C: the rows shared out over the cores ---- */

void correlate_openmp(const float *image, int width, int height, const float *mask, int radius,
                      enum border border, float *out) {
#pragma omp parallel for schedule(static)
    for (int y = 0; y < height; y++) {
        correlate_row(image, width, height, mask, radius, border, y, out + (size_t)y * width);
    }
}
