// zoo: right
//
// Goes through the rows of the image once and adds each to all rows of the result that need it:
// the loop over the mask's rows is outside the one over the image's.
#include "lab.h"

#include <string.h>

static int nearest(int v, int n) {
    return v < 0 ? 0 : v < n ? v : n - 1;
}

static void add_line(float *h, const float *f, int w, const float *g, int r, enum border border) {
    for (int a = -r; a <= r; a++) {
        const float c = g[a + r];
        for (int x = 0; x < w; x++) {
            if (x + a >= 0 && x + a < w) {
                h[x] += c * f[x + a];
            } else if (border == BORDER_REPLICATE) {
                h[x] += c * f[nearest(x + a, w)];
            }
        }
    }
}

static void rows(const float *f, int w, int h, const float *g, int r, enum border border, float *o,
                 int from, int to) {
    memset(o + (long)from * w, 0, sizeof(float) * (unsigned long)w * (unsigned long)(to - from));
    for (int b = -r; b <= r; b++) {
        for (int y = from; y < to; y++) {
            if (border == BORDER_REPLICATE || (y + b >= 0 && y + b < h)) {
                add_line(o + (long)y * w, f + (long)nearest(y + b, h) * w, w,
                         g + (b + r) * (2 * r + 1), r, border);
            }
        }
    }
}

void correlate_loops(const float *f, int w, int h, const float *g, int r, enum border border,
                     float *o) {
    rows(f, w, h, g, r, border, o, 0, h);
}

void correlate_rows(const float *f, int w, int h, const float *g, int r, enum border border,
                    float *o) {
    rows(f, w, h, g, r, border, o, 0, h);
}

void correlate_openmp(const float *f, int w, int h, const float *g, int r, enum border border,
                      float *o) {
    enum { STRIP = 16 };
#pragma omp parallel for
    for (int from = 0; from < h; from += STRIP) {
        rows(f, w, h, g, r, border, o, from, from + STRIP < h ? from + STRIP : h);
    }
}
