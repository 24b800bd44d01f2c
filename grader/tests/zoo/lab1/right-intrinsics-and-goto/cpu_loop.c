// zoo: right
//
// Part A has no loops but goto, part B loads unaligned vectors with intrinsics, with a tail, part C
// is a taskloop. The border is a function from a table.
#include "lab.h"

#include <stddef.h>
#include <stdint.h>
#ifdef __SSE__
#include <xmmintrin.h>
#endif

typedef const float *line_of(const float *image, int64_t width, int64_t height, int64_t y);

static const float *nearest_line(const float *image, int64_t width, int64_t height, int64_t y) {
    return image + (y < 0 ? 0 : y < height ? y : height - 1) * width;
}

static const float *line_or_none(const float *image, int64_t width, int64_t height, int64_t y) {
    return y < 0 || y >= height ? NULL : image + y * width;
}

static line_of *const lines[] = {[BORDER_ZERO] = line_or_none, [BORDER_REPLICATE] = nearest_line};

void correlate_loops(const float *image, int width, int height, const float *mask, int radius,
                     enum border border, float *out) {
    int64_t y = 0, x, b, a;
    double sum;
next_row:
    x = 0;
next_pixel:
    sum = 0;
    b = -radius;
next_line: {
    const float *line = lines[border](image, width, height, y + b);
    if (line == NULL) {
        goto line_done;
    }
    for (a = radius; a >= -radius; a--) {
        int64_t column = x + a;
        if (column < 0 || column >= width) {
            if (border == BORDER_ZERO) {
                continue;
            }
            column = column < 0 ? 0 : width - 1;
        }
        sum += (double)line[column] * mask[(b + radius) * (2 * (int64_t)radius + 1) + a + radius];
    }
}
line_done:
    if (++b <= radius) {
        goto next_line;
    }
    out[y * width + x] = (float)sum;
    if (++x < width) {
        goto next_pixel;
    }
    if (++y < height) {
        goto next_row;
    }
}

static void row(const float *restrict image, int width, int height, const float *restrict mask, int radius,
                enum border border, int y, float *restrict out) {
    int x = 0;
    for (; x < width; x += 4) {
        const int lanes = width - x < 4 ? width - x : 4;
        float sums[4] = {0, 0, 0, 0};
#ifdef __SSE__
        __m128 total = _mm_setzero_ps();
#endif
        for (int b = radius; b >= -radius; b--) {
            const float *line = lines[border](image, width, height, (int64_t)y + b);
            if (!line) {
                continue;
            }
            for (int a = -radius; a <= radius; a++) {
                const float c = mask[(b + radius) * (2 * radius + 1) + a + radius];
#ifdef __SSE__
                if (lanes == 4 && x + a >= 0 && x + a + 4 <= width) {
                    total = _mm_add_ps(total, _mm_mul_ps(_mm_loadu_ps(line + x + a), _mm_set_ps1(c)));
                    continue;
                }
#endif
                for (int i = 0; i < lanes; i++) {
                    const int column = x + i + a;
                    if (column >= 0 && column < width) {
                        sums[i] += line[column] * c;
                    } else if (border == BORDER_REPLICATE) {
                        sums[i] += line[column < 0 ? 0 : width - 1] * c;
                    }
                }
            }
        }
#ifdef __SSE__
        float more[4];
        _mm_storeu_ps(more, total);
        for (int i = 0; i < lanes; i++) {
            sums[i] += more[i];
        }
#endif
        for (int i = 0; i < lanes; i++) {
            out[x + i] = sums[i];
        }
    }
}

void correlate_rows(const float *image, int width, int height, const float *mask, int radius,
                    enum border border, float *out) {
    float(*rows)[width] = (float(*)[width])out;
    for (int y = height; y-- > 0;) {
        row(image, width, height, mask, radius, border, y, rows[y]);
    }
}

void correlate_openmp(const float *image, int width, int height, const float *mask, int radius,
                      enum border border, float *out) {
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(1)
    for (int y = 0; y < height; y++) {
        row(image, width, height, mask, radius, border, y, out + (ptrdiff_t)y * width);
    }
}
