/* The baseline, the version to beat: correct, but in the worst order for the memory. The inner loop
 * moves by a whole row at each step, so every pixel loads two new cache lines, one of rgb and one
 * of grey. */
#include "lab.h"

void baseline_grey(const uint8_t *rgb, int width, int height, struct weights w, uint8_t *grey) {
    for (int x = 0; x < width; x++) {
        for (int y = 0; y < height; y++) {
            const size_t i = (size_t)y * (size_t)width + (size_t)x;
            const int sum = w.r * rgb[3 * i] + w.g * rgb[3 * i + 1] + w.b * rgb[3 * i + 2];
            grey[i] = (uint8_t)((sum + 16384) >> 15);
        }
    }
}
