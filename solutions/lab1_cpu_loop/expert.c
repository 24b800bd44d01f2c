/* Lab 1 with faster parts B and C for AVX-512. All else is cpu_loop.c, also these parts on another
 * processor. notes.md says what each step here gains.
 *
 * The image is computed in blocks of 6 rows and 4 vectors, whose sums stay in registers. A pixel
 * that is loaded once serves all the rows of the block that need it, and a coefficient all of its
 * vectors: 24 multiply-adds for 4 loads of pixels and 6 of coefficients. Every sum adds its taps
 * row by row, from left to right, whichever block or thread it belongs to, so its bits do not
 * depend on the number of threads.
 *
 * Borders: rows outside the image are skipped or replaced by the nearest one. A block that reads
 * left or right of the image copies each line with its border to a small buffer and adds it by the
 * same code. At the image's right and lower end a block computes pixels that it does not store.
 */
#include "lab.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifdef __x86_64__
#include <immintrin.h>

#define correlate_rows plain_rows
#define correlate_openmp plain_openmp
#include "cpu_loop.c"
#undef correlate_rows
#undef correlate_openmp

enum {
    ROWS = 6,  /* of a block */
    COUNT = 4, /* vectors of a row */
    LANES = 16,
    COLUMNS = COUNT * LANES,
    TAPS = 32,                 /* columns of the mask that go through the buffer at a time */
    STREAMED_BYTES = 16 << 20, /* larger results get non-temporal stores: few caches hold them */
};

/* streamed: the result gets non-temporal stores. */
struct pass {
    const float *image;
    int width, height;
    const float *mask;
    int radius;
    enum border border;
    bool streamed;
};

#define INLINE static inline __attribute__((always_inline))
#define AVX512 __attribute__((target("avx512f")))
#define UNROLL _Pragma("GCC unroll 16")

INLINE int least(int a, int b) {
    return a < b ? a : b;
}

/* The line of the image that stands for row `row`; NULL if that row is outside and counts as 0. */
INLINE const float *line_of(const struct pass *pass, int row) {
    const int nearest = clamp(row, 0, pass->height - 1);
    const bool missing = row != nearest && pass->border == BORDER_ZERO;
    return missing ? NULL : pass->image + (size_t)nearest * (size_t)pass->width;
}

/* Copies columns x..x+count-1 of a line to `to`; any of them may be outside the image. */
static void copy_with_border(const struct pass *pass, const float *line, int x, int count,
                             float *to) {
    const bool zero = pass->border == BORDER_ZERO;
    const float left = zero ? 0.0f : line[0], right = zero ? 0.0f : line[pass->width - 1];
    const int first = clamp(-x, 0, count), end = clamp(pass->width - x, first, count);

    for (int i = 0; i < first; i++) {
        to[i] = left;
    }
    if (first < end) {
        memcpy(to + first, line + x + first, (size_t)(end - first) * sizeof *to);
    }
    for (int i = end; i < count; i++) {
        to[i] = right;
    }
}

/* Fetches the lines that the block below this one is the first to read: each line of the image
 * comes from memory a whole row of blocks before it is needed. */
INLINE void prefetch_below(const struct pass *pass, int x, int y) {
    const int first = y + ROWS + pass->radius;
    for (int row = first; row < least(first + ROWS, pass->height); row++) {
        const float *line = pass->image + (size_t)row * (size_t)pass->width;
        for (int i = x; i < x + COLUMNS; i += 16) { /* 16 floats: a cache line */
            __builtin_prefetch(line + i);
        }
    }
}

/* ---- one block: its loops over rows and vectors have constant bounds and are unrolled, or the
 * sums would not stay in registers ---- */

/* Adds `taps` taps of one line to the block's rows first..end-1. coefficients: those of the line
 * for row 0 of the block; for each row below, the mask is one row higher. */
INLINE AVX512 void add_taps(__m512 sums[ROWS][COUNT], const float *line, const float *coefficients,
                            int size, int taps, int first, int end) {
    for (int a = 0; a < taps; a++) {
        __m512 pixels[COUNT];
        /* volatile: gcc would load a vector again for each row that needs it */
        UNROLL for (int v = 0; v < COUNT; v++) {
            pixels[v] = *(const volatile __m512_u *)(line + a + v * LANES);
        }
        UNROLL for (int j = 0; j < ROWS; j++) {
            if (j < first || j >= end) {
                continue;
            }
            const float coefficient = coefficients[a - (ptrdiff_t)j * size];
            UNROLL for (int v = 0; v < COUNT; v++) {
                sums[j][v] += coefficient * pixels[v];
            }
        }
    }
}

/* Adds line y + i of the image to the block's rows first..end-1, those that need it. */
INLINE AVX512 void add_line(__m512 sums[ROWS][COUNT], const struct pass *pass, int x, int y, int i,
                            int r, int first, int end) {
    const int size = 2 * r + 1;
    const float *line = line_of(pass, y + i);
    const float *coefficients = pass->mask + (ptrdiff_t)(i + r) * size;
    if (line) {
        add_taps(sums, line + (x - r), coefficients, size, size, first, end);
    }
}

/* Adds all lines to a block that reads no pixel left or right of the image. Line i is needed by the
 * block's rows i - r..i + r: the first and last lines by a few rows, the others by all. */
INLINE AVX512 void add_lines(__m512 sums[ROWS][COUNT], const struct pass *pass, int x, int y,
                             int r) {
    if (2 * r < ROWS - 2) { /* r is constant, and so are the bounds */
        UNROLL for (int i = -r; i < ROWS + r; i++) {
            add_line(sums, pass, x, y, i, r, i - r, i + r + 1);
        }
        return;
    }
    UNROLL for (int n = 1; n < ROWS; n++) {
        add_line(sums, pass, x, y, n - 1 - r, r, 0, n);
    }
    for (int i = ROWS - 1 - r; i <= r; i++) {
        add_line(sums, pass, x, y, i, r, 0, ROWS);
    }
    UNROLL for (int n = 1; n < ROWS; n++) {
        add_line(sums, pass, x, y, n + r, r, n, ROWS);
    }
}

/* The same with the border, for any block and any radius: tests which rows need a line. */
INLINE AVX512 void add_lines_with_border(__m512 sums[ROWS][COUNT], const struct pass *pass, int x,
                                         int y) {
    const int r = pass->radius, size = 2 * r + 1;
    float buffer[COLUMNS + TAPS];
    for (int i = -r; i < ROWS + r; i++) {
        const float *line = line_of(pass, y + i);
        const float *coefficients = pass->mask + (ptrdiff_t)(i + r) * size;
        for (int a = 0; line && a < size; a += TAPS) {
            const int taps = least(TAPS, size - a);
            copy_with_border(pass, line, x - r + a, COLUMNS + taps - 1, buffer);
            add_taps(sums, buffer, coefficients + a, size, taps, i - r, i + r + 1);
        }
    }
}

/* Computes the block whose first pixel is (x, y), and stores its first `columns` and `rows`. */
static AVX512 void correlate_block(const struct pass *pass, int x, int y, int columns, int rows,
                                   float *out) {
    const int r = pass->radius;
    __m512 sums[ROWS][COUNT];
    UNROLL for (int j = 0; j < ROWS; j++) {
        UNROLL for (int v = 0; v < COUNT; v++) {
            sums[j][v] = (__m512){0};
        }
    }
    prefetch_below(pass, x, y);
    const bool inside = x >= r && x + COLUMNS + r <= pass->width;
    if (inside && r == 1) { /* known radii let gcc unroll more */
        add_lines(sums, pass, x, y, 1);
    } else if (inside && 2 * r == ROWS - 2) {
        add_lines(sums, pass, x, y, 2);
    } else if (inside && 2 * r > ROWS - 2) {
        add_lines(sums, pass, x, y, r);
    } else {
        add_lines_with_border(sums, pass, x, y);
    }
    UNROLL for (int j = 0; j < ROWS; j++) {
        float *to = out + (size_t)j * (size_t)pass->width;
        if (j >= rows) {
            break;
        }
        UNROLL for (int v = 0; v < COUNT; v++) {
            const int left = columns - v * LANES;
            const __m512 sum = sums[j][v];
            if (left <= 0) {
                break;
            } else if (left < LANES) {
                memcpy(to + v * LANES, &sum, (size_t)left * sizeof *to);
            } else if (pass->streamed) {
                _mm512_stream_ps(to + v * LANES, sum);
            } else {
                _mm512_storeu_ps(to + v * LANES, sum);
            }
        }
    }
}

/* ---- the whole image ---- */

/* Computes a band: ROWS rows from row y on, or as many as the image has. What is stored past the
 * cache must be in order before another thread may read it. */
static void correlate_band(const struct pass *pass, int y, float *out) {
    const int rows = least(ROWS, pass->height - y);
    float *to = out + (size_t)y * (size_t)pass->width;
    for (int x = 0; x < pass->width; x += COLUMNS) {
        correlate_block(pass, x, y, least(COLUMNS, pass->width - x), rows, to + x);
    }
    _mm_sfence();
}

/* Non-temporal stores need aligned vectors: those of a large result whose rows are aligned. */
static bool may_stream(const float *out, int width, int height) {
    const bool aligned = (uintptr_t)out % sizeof(__m512) == 0 && width % LANES == 0;
    return aligned && (size_t)width * (size_t)height * sizeof *out > STREAMED_BYTES;
}

void correlate_rows(const float *image, int width, int height, const float *mask, int radius,
                    enum border border, float *out) {
    const bool streamed = may_stream(out, width, height);
    const struct pass pass = {image, width, height, mask, radius, border, streamed};

    if (!__builtin_cpu_supports("avx512f")) {
        plain_rows(image, width, height, mask, radius, border, out);
        return;
    }
    for (int y = 0; y < height; y += ROWS) {
        correlate_band(&pass, y, out);
    }
}

void correlate_openmp(const float *image, int width, int height, const float *mask, int radius,
                      enum border border, float *out) {
    const bool streamed = may_stream(out, width, height);
    const struct pass pass = {image, width, height, mask, radius, border, streamed};

    if (!__builtin_cpu_supports("avx512f")) {
        plain_openmp(image, width, height, mask, radius, border, out);
        return;
    }
#pragma omp parallel for schedule(static)
    for (int y = 0; y < height; y += ROWS) {
        correlate_band(&pass, y, out);
    }
}

#else
#include "cpu_loop.c"
#endif
