/* Lab 1 by an expert: the functions of lab.h as fast as we can make them on a CPU, and beside them
 * a separable correlation for `make bench`. The clear version is cpu_loop.c; notes.md says what
 * each step here gains.
 *
 * The image is computed in blocks of 6 rows and 2 or 4 vectors, whose sums stay in registers. A
 * pixel that is loaded once serves all the rows of the block that need it, and a coefficient all of
 * its vectors: 24 multiply-adds for 4 loads of pixels and 6 of coefficients with AVX-512. Every sum
 * adds its taps row by row, from left to right, whichever block or thread it belongs to, so its
 * bits do not depend on the number of threads.
 *
 * Borders: rows outside the image are skipped or replaced by the nearest one. A block that reads
 * left or right of the image copies each line with its border to a small buffer and adds it by the
 * same code. At the image's right and lower end a block computes pixels that it does not store.
 */
#include "lab.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __x86_64__
#include <immintrin.h>
#endif

enum {
    ROWS = 6,                  /* of a block */
    WIDEST_BLOCK = 64,         /* columns: 4 vectors of 16 */
    TAPS = 32,                 /* columns of the mask that go through the buffer at a time */
    STREAMED_BYTES = 16 << 20, /* larger results go past the cache: few caches hold them */
    STRIP = 1280,              /* columns of the separable filter's buffer */
};

/* Sums over (2 radius_y + 1) x (2 radius_x + 1) taps. A pitch is the distance between two rows, in
 * floats. streamed: the result goes past the cache. */
struct pass {
    const float *image;
    int width, height;
    size_t pitch;
    const float *mask;
    int radius_x, radius_y;
    enum border border;
    size_t out_pitch;
    bool streamed;
};

/* Computes the block whose first pixel is (x, y), and stores its first `columns` and `rows`. */
typedef void block_function(const struct pass *pass, int x, int y, int columns, int rows,
                            float *out);

#define INLINE static inline __attribute__((always_inline))

INLINE int least(int a, int b) {
    return a < b ? a : b;
}

INLINE int clamp(int value, int low, int high) {
    return value < low ? low : value > high ? high : value;
}

/* The line of the image that stands for row `row`; NULL if that row is outside and counts as 0. */
INLINE const float *line_of(const struct pass *pass, int row) {
    const int nearest = clamp(row, 0, pass->height - 1);
    const bool missing = row != nearest && pass->border == BORDER_ZERO;
    return missing ? NULL : pass->image + (size_t)nearest * pass->pitch;
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
INLINE void prefetch_below(const struct pass *pass, int x, int y, int columns) {
    const int first = y + ROWS + pass->radius_y;
    for (int row = first; row < least(first + ROWS, pass->height); row++) {
        const float *line = pass->image + (size_t)row * pass->pitch;
        for (int i = x; i < x + columns; i += 16) { /* 16 floats: a line of the cache */
            __builtin_prefetch(line + i);
        }
    }
}

/* ---- one block, written once and made for each kind of vector ---- */

#define UNROLL _Pragma("GCC unroll 16")

/* Defines block function NAME for blocks of COUNT VECTORs. TARGET: the instructions it may use;
 * STREAM(address, vector): stores past the cache. All loops over rows and vectors of a block have
 * constant bounds and are unrolled, or the sums would not stay in registers. */
#define DEFINE_BLOCK(NAME, TARGET, VECTOR, COUNT, STREAM)                                          \
enum { NAME##_LANES = sizeof(VECTOR) / sizeof(float), NAME##_COLUMNS = COUNT * NAME##_LANES };     \
                                                                                                   \
/* Adds `taps` taps of one line to the block's rows first..end-1. coefficients: those of the line  \
   for row 0 of the block; for each row below, the mask is one row higher. */                      \
INLINE TARGET void NAME##_add_taps(VECTOR sums[ROWS][COUNT], const float *line,                    \
                                   const float *coefficients, int size, int taps, int first,       \
                                   int end) {                                                      \
    for (int a = 0; a < taps; a++) {                                                               \
        VECTOR pixels[COUNT];                                                                      \
        /* volatile: gcc would load a vector again for each row that needs it */                   \
        UNROLL for (int v = 0; v < COUNT; v++) {                                                   \
            pixels[v] = *(const volatile VECTOR##_u *)(line + a + v * NAME##_LANES);               \
        }                                                                                          \
        UNROLL for (int j = 0; j < ROWS; j++) {                                                    \
            if (j < first || j >= end) {                                                           \
                continue;                                                                          \
            }                                                                                      \
            const float coefficient = coefficients[a - (ptrdiff_t)j * size];                       \
            UNROLL for (int v = 0; v < COUNT; v++) {                                               \
                sums[j][v] += coefficient * pixels[v];                                             \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
}                                                                                                  \
                                                                                                   \
/* Adds line y + i of the image to the block's rows first..end-1, those that need it. */           \
INLINE TARGET void NAME##_add_line(VECTOR sums[ROWS][COUNT], const struct pass *pass, int x,       \
                                   int y, int i, int rx, int ry, int first, int end) {             \
    const int size = 2 * rx + 1;                                                                   \
    const float *line = line_of(pass, y + i);                                                      \
    const float *coefficients = pass->mask + (ptrdiff_t)(i + ry) * size;                           \
    if (line) {                                                                                    \
        NAME##_add_taps(sums, line + (x - rx), coefficients, size, size, first, end);              \
    }                                                                                              \
}                                                                                                  \
                                                                                                   \
/* Adds all lines to a block that reads no pixel left or right of the image. Line i is needed by   \
   the block's rows i - ry..i + ry: the first and last lines by a few rows, the others by all. */  \
INLINE TARGET void NAME##_add_lines(VECTOR sums[ROWS][COUNT], const struct pass *pass, int x,      \
                                    int y, int rx, int ry) {                                       \
    if (2 * ry < ROWS - 2) { /* ry is constant, and so are the bounds */                           \
        UNROLL for (int i = -ry; i < ROWS + ry; i++) {                                             \
            NAME##_add_line(sums, pass, x, y, i, rx, ry, i - ry, i + ry + 1);                      \
        }                                                                                          \
        return;                                                                                    \
    }                                                                                              \
    UNROLL for (int n = 1; n < ROWS; n++) {                                                        \
        NAME##_add_line(sums, pass, x, y, n - 1 - ry, rx, ry, 0, n);                               \
    }                                                                                              \
    for (int i = ROWS - 1 - ry; i <= ry; i++) {                                                    \
        NAME##_add_line(sums, pass, x, y, i, rx, ry, 0, ROWS);                                     \
    }                                                                                              \
    UNROLL for (int n = 1; n < ROWS; n++) {                                                        \
        NAME##_add_line(sums, pass, x, y, n + ry, rx, ry, n, ROWS);                                \
    }                                                                                              \
}                                                                                                  \
                                                                                                   \
/* The same with the border, for any block and any radius: tests which rows need a line. */        \
INLINE TARGET void NAME##_add_lines_with_border(VECTOR sums[ROWS][COUNT], const struct pass *pass, \
                                                int x, int y) {                                    \
    const int rx = pass->radius_x, ry = pass->radius_y, size = 2 * rx + 1;                         \
    float buffer[NAME##_COLUMNS + TAPS];                                                           \
    for (int i = -ry; i < ROWS + ry; i++) {                                                        \
        const float *line = line_of(pass, y + i);                                                  \
        const float *coefficients = pass->mask + (ptrdiff_t)(i + ry) * size;                       \
        for (int a = 0; line && a < size; a += TAPS) {                                             \
            const int taps = least(TAPS, size - a);                                                \
            copy_with_border(pass, line, x - rx + a, NAME##_COLUMNS + taps - 1, buffer);           \
            NAME##_add_taps(sums, buffer, coefficients + a, size, taps, i - ry, i + ry + 1);       \
        }                                                                                          \
    }                                                                                              \
}                                                                                                  \
                                                                                                   \
static TARGET void NAME(const struct pass *pass, int x, int y, int columns, int rows, float *out) {\
    const int rx = pass->radius_x, ry = pass->radius_y;                                            \
    VECTOR sums[ROWS][COUNT];                                                                      \
    UNROLL for (int j = 0; j < ROWS; j++) {                                                        \
        UNROLL for (int v = 0; v < COUNT; v++) {                                                   \
            sums[j][v] = (VECTOR){0};                                                              \
        }                                                                                          \
    }                                                                                              \
    prefetch_below(pass, x, y, NAME##_COLUMNS);                                                    \
    const bool inside = x >= rx && x + NAME##_COLUMNS + rx <= pass->width;                         \
    if (inside && rx == 1 && ry == 1) { /* known radii let gcc unroll more */                      \
        NAME##_add_lines(sums, pass, x, y, 1, 1);                                                  \
    } else if (inside && rx == 2 && ry == 2) {                                                     \
        NAME##_add_lines(sums, pass, x, y, 2, 2);                                                  \
    } else if (inside && ry == 0) {                                                                \
        NAME##_add_lines(sums, pass, x, y, rx, 0);                                                 \
    } else if (inside && rx == 0 && 2 * ry >= ROWS - 2) {                                          \
        NAME##_add_lines(sums, pass, x, y, 0, ry);                                                 \
    } else if (inside && 2 * ry >= ROWS - 2) {                                                     \
        NAME##_add_lines(sums, pass, x, y, rx, ry);                                                \
    } else {                                                                                       \
        NAME##_add_lines_with_border(sums, pass, x, y);                                            \
    }                                                                                              \
    UNROLL for (int j = 0; j < ROWS; j++) {                                                        \
        float *to = out + (size_t)j * pass->out_pitch;                                             \
        if (j >= rows) {                                                                           \
            break;                                                                                 \
        }                                                                                          \
        UNROLL for (int v = 0; v < COUNT; v++) {                                                   \
            const int left = columns - v * NAME##_LANES;                                           \
            const VECTOR sum = sums[j][v];                                                         \
            if (left <= 0) {                                                                       \
                break;                                                                             \
            } else if (left < NAME##_LANES) {                                                      \
                memcpy(to + v * NAME##_LANES, &sum, (size_t)left * sizeof *to);                    \
            } else if (pass->streamed) {                                                           \
                STREAM(to + v * NAME##_LANES, sum);                                                \
            } else {                                                                               \
                *(VECTOR##_u *)(to + v * NAME##_LANES) = sum;                                      \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
}

/* What every machine has: vectors of 16 bytes, which are those of SSE and NEON. */
typedef float quad __attribute__((vector_size(16)));
typedef float quad_u __attribute__((vector_size(16), aligned(4), may_alias));

INLINE void store_quad(float *to, quad vector) {
    *(quad_u *)to = vector;
}

DEFINE_BLOCK(block_of_quads, , quad, 2, store_quad)

#ifdef __x86_64__
#define AVX2 __attribute__((target("avx2,fma")))
#define AVX512 __attribute__((target("avx512f")))
DEFINE_BLOCK(block_avx2, AVX2, __m256, 2, _mm256_stream_ps)
DEFINE_BLOCK(block_avx512, AVX512, __m512, 4, _mm512_stream_ps)
#endif

/* How to compute a block on this machine, and how many columns it has. */
struct kernel {
    block_function *block;
    int columns;
};

static struct kernel best_kernel(void) {
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512f")) {
        return (struct kernel){block_avx512, 64};
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        return (struct kernel){block_avx2, 16};
    }
#endif
    return (struct kernel){block_of_quads, 8};
}

/* ---- the whole image ---- */

/* Computes columns x..end-1 of a band: ROWS rows from row y on, or as many as the image has. `out`
 * is where (x, y) belongs. */
static void correlate_band(const struct kernel *kernel, const struct pass *pass, int x, int end,
                           int y, float *out) {
    const int rows = least(ROWS, pass->height - y);
    for (; x < end; x += kernel->columns, out += kernel->columns) {
        kernel->block(pass, x, y, least(kernel->columns, end - x), rows, out);
    }
}

/* What is stored past the cache must be in order before another thread may read it. */
static void finish_stores(void) {
#ifdef __x86_64__
    _mm_sfence();
#endif
}

/* Past the cache go whole, aligned vectors: those of a large result whose rows are aligned. */
static bool may_stream(const float *out, int width, int height) {
    const bool aligned = (uintptr_t)out % sizeof(float[16]) == 0 && width % 16 == 0;
    return aligned && (size_t)width * (size_t)height * sizeof *out > STREAMED_BYTES;
}

static struct pass whole_image(const float *image, int width, int height, const float *mask,
                               int radius, enum border border, const float *out) {
    return (struct pass){
        .image = image,
        .width = width,
        .height = height,
        .pitch = (size_t)width,
        .mask = mask,
        .radius_x = radius,
        .radius_y = radius,
        .border = border,
        .out_pitch = (size_t)width,
        .streamed = may_stream(out, width, height),
    };
}

void correlate_rows(const float *image, int width, int height, const float *mask, int radius,
                    enum border border, float *out) {
    const struct kernel kernel = best_kernel();
    const struct pass pass = whole_image(image, width, height, mask, radius, border, out);

    for (int y = 0; y < height; y += ROWS) {
        correlate_band(&kernel, &pass, 0, width, y, out + (size_t)y * (size_t)width);
    }
    finish_stores();
}

void correlate_loops(const float *image, int width, int height, const float *mask, int radius,
                     enum border border, float *out) {
    correlate_rows(image, width, height, mask, radius, border, out);
}

void correlate_openmp(const float *image, int width, int height, const float *mask, int radius,
                      enum border border, float *out) {
    const struct kernel kernel = best_kernel();
    const struct pass pass = whole_image(image, width, height, mask, radius, border, out);

#pragma omp parallel for schedule(static)
    for (int y = 0; y < height; y += ROWS) {
        correlate_band(&kernel, &pass, 0, width, y, out + (size_t)y * (size_t)width);
        finish_stores();
    }
}

/* ---- separable ---- */

/* Correlates with the mask g(a, b) = row(a) column(b), of 2 * radius + 1 coefficients each; radius
 * is 0..512, and all else as for correlate_openmp(). Not in lab.h: `make bench` calls it. */
void expert_separable(const float *image, int width, int height, const float *row,
                      const float *column, int radius, enum border border, float *out);

/* Fills `count` columns of the buffer from column `to` on, which lie left or right of the image:
 * with 0, or with the column `nearest`. */
static void fill_border(float *buffer, int count, int to, int nearest, enum border border) {
    for (int j = 0; j < ROWS; j++, buffer += STRIP) {
        for (int i = to; i < to + count; i++) {
            buffer[i] = border == BORDER_ZERO ? 0.0f : buffer[nearest];
        }
    }
}

/* Computes columns x..end-1 of the band at row y: down the columns into a buffer that stays in the
 * cache, with `radius` more columns on each side, and from there along the rows. */
static void separable_strip(const struct kernel *kernel, const struct pass *down,
                            const struct pass *along, int x, int end, int y, float *out) {
    const int r = along->radius_x, first = x - r, columns = end - x + 2 * r;
    const int left = first < 0 ? -first : 0;
    const int right = end + r > down->width ? end + r - down->width : 0;
    float buffer[ROWS * STRIP];
    struct pass from_buffer = *along;

    correlate_band(kernel, down, first + left, end + r - right, y, buffer + left);
    fill_border(buffer, left, 0, left, down->border);
    fill_border(buffer, right, columns - right, columns - right - 1, down->border);
    from_buffer.image = buffer;
    from_buffer.width = columns;
    from_buffer.height = least(ROWS, down->height - y);
    correlate_band(kernel, &from_buffer, r, columns - r, 0, out);
}

void expert_separable(const float *image, int width, int height, const float *row,
                      const float *column, int radius, enum border border, float *out) {
    const struct kernel kernel = best_kernel();
    struct pass down = whole_image(image, width, height, column, radius, border, out);
    struct pass along = whole_image(NULL, 0, 0, row, radius, border, out);
    const int blocks = (STRIP - 2 * radius) / WIDEST_BLOCK; /* that fit into the buffer */
    const int columns = blocks * WIDEST_BLOCK;

    along.streamed = down.streamed;
    along.pitch = down.out_pitch = STRIP;
    along.out_pitch = (size_t)width;
    down.radius_x = along.radius_y = 0;
    down.streamed = false;
#pragma omp parallel for schedule(static)
    for (int y = 0; y < height; y += ROWS) {
        for (int x = 0; x < width; x += columns) {
            float *to = out + (size_t)y * (size_t)width + x;
            separable_strip(&kernel, &down, &along, x, least(x + columns, width), y, to);
        }
        finish_stores();
    }
}
