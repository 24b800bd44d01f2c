// zoo: right
//
// Sums in double, taps column by column, comparisons in place of a clamp; OpenMP with dynamic rows.
#include "lab.h"

static double tap(const float *f, int w, int h, int x, int y, enum border border) {
    if (x < 0) {
        if (border == BORDER_ZERO) {
            return 0.0;
        }
        x = 0;
    } else if (x >= w) {
        if (border == BORDER_ZERO) {
            return 0.0;
        }
        x = w - 1;
    }
    if (y < 0) {
        if (border == BORDER_ZERO) {
            return 0.0;
        }
        y = 0;
    } else if (y >= h) {
        if (border == BORDER_ZERO) {
            return 0.0;
        }
        y = h - 1;
    }
    return f[(long)y * w + x];
}

static float one_pixel(const float *f, int w, int h, const float *g, int r, enum border border,
                       int x, int y) {
    double sum = 0.0;
    for (int a = r; a >= -r; a--) {
        for (int b = r; b >= -r; b--) {
            sum += tap(f, w, h, x + a, y + b, border) * g[(b + r) * (2 * r + 1) + a + r];
        }
    }
    return (float)sum;
}

void correlate_loops(const float *f, int w, int h, const float *g, int r, enum border border,
                     float *out) {
    for (long i = 0; i < (long)w * h; i++) {
        out[i] = one_pixel(f, w, h, g, r, border, (int)(i % w), (int)(i / w));
    }
}

void correlate_rows(const float *f, int w, int h, const float *g, int r, enum border border,
                    float *out) {
    correlate_loops(f, w, h, g, r, border, out);
}

void correlate_openmp(const float *f, int w, int h, const float *g, int r, enum border border,
                      float *out) {
#pragma omp parallel for schedule(dynamic, 3)
    for (int y = 0; y < h; y++) {
        for (int x = 0; x < w; x++) {
            out[(long)y * w + x] = one_pixel(f, w, h, g, r, border, x, y);
        }
    }
}
