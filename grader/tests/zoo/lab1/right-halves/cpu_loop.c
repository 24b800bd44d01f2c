// zoo: right
//
// Another way: a recursion halves the image until a piece is small, and another one halves the sum
// over the mask, so that it rounds less than a loop does.
#include "lab.h"

#include <stddef.h>

struct job {
    const float *image, *mask;
    int width, height, radius;
    enum border border;
    float *out;
};

/* The term of tap `i` at (x, y). */
static float term(const struct job *j, int x, int y, int i) {
    const int size = 2 * j->radius + 1;
    int column = x + i % size - j->radius, row = y + i / size - j->radius;
    if (column < 0 || column >= j->width || row < 0 || row >= j->height) {
        if (j->border == BORDER_ZERO) {
            return 0.0f;
        }
        column = column < 0 ? 0 : column >= j->width ? j->width - 1 : column;
        row = row < 0 ? 0 : row >= j->height ? j->height - 1 : row;
    }
    return j->image[(size_t)row * j->width + column] * j->mask[i];
}

/* The sum of the terms first..end-1, by halves. */
static float sum(const struct job *j, int x, int y, int first, int end) {
    if (end - first == 1) {
        return term(j, x, y, first);
    }
    const int middle = first + (end - first) / 2;
    return sum(j, x, y, first, middle) + sum(j, x, y, middle, end);
}

/* The pixels of the rectangle x0..x1-1, y0..y1-1, by quarters. */
static void piece(const struct job *j, int x0, int x1, int y0, int y1) {
    const int size = 2 * j->radius + 1;
    if (x0 >= x1 || y0 >= y1) {
        return;
    }
    if (x1 - x0 == 1 && y1 - y0 == 1) {
        j->out[(size_t)y0 * j->width + x0] = sum(j, x0, y0, 0, size * size);
        return;
    }
    const int x = x0 + (x1 - x0 + 1) / 2, y = y0 + (y1 - y0 + 1) / 2;
    piece(j, x0, x, y0, y);
    piece(j, x, x1, y0, y);
    piece(j, x0, x, y, y1);
    piece(j, x, x1, y, y1);
}

void correlate_loops(const float *image, int width, int height, const float *mask, int radius,
                     enum border border, float *out) {
    const struct job j = {image, mask, width, height, radius, border, out};
    piece(&j, 0, width, 0, height);
}

void correlate_rows(const float *image, int width, int height, const float *mask, int radius,
                    enum border border, float *out) {
    correlate_loops(image, width, height, mask, radius, border, out);
}

void correlate_openmp(const float *image, int width, int height, const float *mask, int radius,
                      enum border border, float *out) {
    const struct job j = {image, mask, width, height, radius, border, out};
#pragma omp parallel for collapse(2)
    for (int y = 0; y < height; y += 16) {
        for (int x = 0; x < width; x += 64) {
            piece(&j, x, x + 64 < width ? x + 64 : width, y, y + 16 < height ? y + 16 : height);
        }
    }
}
