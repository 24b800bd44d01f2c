// zoo: right
//
// Another way: every part filters a copy of the image that has its border around it, so that no
// loop asks where the image ends; sums in long double, the mask's columns outermost.
#include "lab.h"

#include <stddef.h>
#include <stdlib.h>

/* A copy of the image with `radius` pixels of border on every side. The caller frees it. */
static float *padded(const float *image, int width, int height, int radius, enum border border) {
    const int wide = width + 2 * radius, high = height + 2 * radius;
    float *copy = malloc((size_t)wide * (size_t)high * sizeof *copy);
    if (!copy) {
        abort();
    }
    for (int i = 0; i < wide * high; i++) {
        int x = i % wide - radius, y = i / wide - radius;
        const int outside = x < 0 || x >= width || y < 0 || y >= height;
        x = x < 0 ? 0 : x >= width ? width - 1 : x;
        y = y < 0 ? 0 : y >= height ? height - 1 : y;
        copy[i] = outside && border == BORDER_ZERO ? 0.0f : image[(size_t)y * width + x];
    }
    return copy;
}

static void one_row(const float *copy, int width, const float *mask, int radius, int y,
                    float *out) {
    const int size = 2 * radius + 1, wide = width + 2 * radius;
    for (int x = 0; x < width; x++) {
        long double sum = 0;
        for (int column = 0; column < size; column++) {
            for (int row = 0; row < size; row++) {
                sum += (long double)copy[(size_t)(y + row) * wide + x + column] *
                       mask[row * size + column];
            }
        }
        out[(size_t)y * width + x] = (float)sum;
    }
}

void correlate_loops(const float *image, int width, int height, const float *mask, int radius,
                     enum border border, float *out) {
    float *copy = padded(image, width, height, radius, border);
    for (int y = height - 1; y >= 0; y--) {
        one_row(copy, width, mask, radius, y, out);
    }
    free(copy);
}

void correlate_rows(const float *image, int width, int height, const float *mask, int radius,
                    enum border border, float *out) {
    correlate_loops(image, width, height, mask, radius, border, out);
}

void correlate_openmp(const float *image, int width, int height, const float *mask, int radius,
                      enum border border, float *out) {
    float *copy = padded(image, width, height, radius, border);
#pragma omp parallel for schedule(dynamic)
    for (int y = 0; y < height; y++) {
        one_row(copy, width, mask, radius, y, out);
    }
    free(copy);
}
