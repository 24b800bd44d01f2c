/* The baseline, the version to beat: correct, but in the worst order for the memory. The inner
 * loops, over y and b, move by a whole row of the image at each step, so every access loads a new
 * cache line. */
#include "lab.h"

#include <stddef.h>

static int clamp(int value, int low, int high) {
    return value < low ? low : value > high ? high : value;
}

void baseline_correlate(const float *image, int width, int height, const float *mask, int radius,
                        enum border border, float *out) {
    const int size = 2 * radius + 1;

    for (int x = 0; x < width; x++) {
        for (int y = 0; y < height; y++) {
            float sum = 0.0f;
            for (int a = -radius; a <= radius; a++) {
                for (int b = -radius; b <= radius; b++) {
                    const int column = clamp(x + a, 0, width - 1);
                    const int row = clamp(y + b, 0, height - 1);
                    if (border == BORDER_ZERO && (column != x + a || row != y + b)) {
                        continue;
                    }
                    sum += image[(size_t)row * (size_t)width + (size_t)column] *
                           mask[(b + radius) * size + (a + radius)];
                }
            }
            out[(size_t)y * (size_t)width + (size_t)x] = sum;
        }
    }
}
