/* Source 003 on the CPU: a separable filter as a pass over the rows and one over the columns (what
 * lab 5 does on a GPU), shared out to `threads`. No lab asks for this on a CPU, so it is written
 * here. The border is zero. */
#include <stddef.h>

static void pass_rows(const float *image, int width, int height, const float *row, int r,
                      float *between, int threads) {
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int y = 0; y < height; y++) {
        const float *restrict line = image + (size_t)y * (size_t)width;
        float *restrict sum = between + (size_t)y * (size_t)width;
        for (int x = 0; x < width; x++) {
            sum[x] = 0.0f;
        }
        for (int a = -r; a <= r; a++) {
            const int first = a < 0 ? -a : 0;
            const int end = a > 0 ? width - a : width;
            for (int x = first; x < end; x++) {
                sum[x] += row[a + r] * line[x + a];
            }
        }
    }
}

static void pass_columns(const float *between, int width, int height, const float *column, int r,
                         float *out, int threads) {
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int y = 0; y < height; y++) {
        float *restrict sum = out + (size_t)y * (size_t)width;
        for (int x = 0; x < width; x++) {
            sum[x] = 0.0f;
        }
        for (int b = -r; b <= r; b++) {
            if (y + b < 0 || y + b >= height) {
                continue;
            }
            const float *restrict line = between + (size_t)(y + b) * (size_t)width;
            for (int x = 0; x < width; x++) {
                sum[x] += column[b + r] * line[x];
            }
        }
    }
}

void separable(const float *image, int width, int height, const float *column, const float *row,
               int radius, float *between, float *out, int threads);

void separable(const float *image, int width, int height, const float *column, const float *row,
               int radius, float *between, float *out, int threads) {
    pass_rows(image, width, height, row, radius, between, threads);
    pass_columns(between, width, height, column, radius, out, threads);
}
