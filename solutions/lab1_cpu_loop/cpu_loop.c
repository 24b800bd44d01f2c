/* Lab 1: a correlation in plain C.
 *
 * What to do   Fill in the TODOs, in order: the first is part A, the next two part B, the last
 *              one part C. labs/lab1_cpu_loop/lab.h says what each function must do.
 * Build        make lab1                  (make lab1-test: unit tests)
 * Grade        ./grade lab1
 * One check    ./grade lab1 -k "one row"
 * Stuck?       ./grade hint lab1 A
 * The idea     handouts/lab1.md
 */
#include "lab.h"

#include <stddef.h>

/* Returns `value`, or the nearer end of low..high if it is outside that range. */
static inline int clamp(int value, int low, int high) {
    return value < low ? low : value > high ? high : value;
}

/* ---- part A: four nested loops ---- */

void correlate_loops(const float *image, int width, int height, const float *mask, int radius,
                     enum border border, float *out) {
    /* TODO 1: compute every pixel of `out` with Eq. 1: write two loops over the pixels (y, x) and,
     * inside them, two over the mask (b, a). For a tap outside the image, read the nearest pixel
     * when the border is BORDER_REPLICATE (clamp() helps); skip the tap when it is BORDER_ZERO.
     * (about 19 lines) */
    // BEGIN SOLUTION
    // STARTER: (void)image, (void)width, (void)height, (void)mask, (void)radius, (void)border;
    // STARTER: (void)out;
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
    // END SOLUTION
}

/* ---- part B: the same sums in another order ---- */

/* Adds one tap of the mask to a whole row: sum[x] += coefficient * f(x + a), for x in 0..width-1,
 * where f is the image's row `line` (width floats) with its border. sum and line do not overlap;
 * `restrict` tells the compiler so. */
static inline void add_tap(float *restrict sum, const float *restrict line, int width, int a,
                           float coefficient, enum border border) {
    /* TODO 2: split 0..width-1 into the x whose x + a is left of the image, those inside it and
     * those right of it. Loop over the inside with no test in the loop. At the two ends, add
     * line[0] or line[width - 1] times the coefficient for BORDER_REPLICATE, and nothing for
     * BORDER_ZERO. Any of the three ranges may be empty, even the inside.  (about 13 lines) */
    // BEGIN SOLUTION
    // STARTER: (void)sum, (void)line, (void)width, (void)a, (void)coefficient, (void)border;
    const int first = clamp(-a, 0, width); /* the inside: first <= x < end */
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
    // END SOLUTION
}

/* Computes row y of the result, `sum` (width floats), from all taps of the mask. */
static void correlate_row(const float *image, int width, int height, const float *mask, int radius,
                          enum border border, int y, float *sum) {
    /* TODO 3: set the row to 0. Then, for every row b of the mask, find row y + b of the image (at
     * a border: the nearest row, or no row) and add each tap of that mask row with add_tap().
     * (about 14 lines) */
    // BEGIN SOLUTION
    // STARTER: (void)image, (void)width, (void)height, (void)mask, (void)radius, (void)border;
    // STARTER: (void)y, (void)sum;
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
    // END SOLUTION
}

void correlate_rows(const float *image, int width, int height, const float *mask, int radius,
                    enum border border, float *out) {
    for (int y = 0; y < height; y++) {
        correlate_row(image, width, height, mask, radius, border, y, out + (size_t)y * width);
    }
}

/* ---- part C: the rows divided among the cores ---- */

void correlate_openmp(const float *image, int width, int height, const float *mask, int radius,
                      enum border border, float *out) {
    /* TODO 4: as correlate_rows(), with one OpenMP directive that gives each thread different rows.
     * One thread still sums each row in the same order, so the result is the same, bit for bit,
     * for any number of threads.  (about 4 lines) */
    // BEGIN SOLUTION
    // STARTER: (void)image, (void)width, (void)height, (void)mask, (void)radius, (void)border;
    // STARTER: (void)out;
#pragma omp parallel for schedule(static)
    for (int y = 0; y < height; y++) {
        correlate_row(image, width, height, mask, radius, border, y, out + (size_t)y * width);
    }
    // END SOLUTION
}
