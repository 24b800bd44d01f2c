// zoo: poor | global loads read words, not bytes; registers of 256 bits
//
// Right, with nothing of what the lab is about: parts B, C and D are part A, column by column.
#include "lab.h"

static void columns(const uint8_t *rgb, int width, int height, struct weights w, uint8_t *grey) {
#pragma omp parallel for
    for (int x = 0; x < width; x++) {
        for (int y = 0; y < height; y++) {
            const size_t i = (size_t)y * width + x;
            const uint8_t *p = rgb + 3 * i;
            grey[i] = (uint8_t)((w.r * p[0] + w.g * p[1] + w.b * p[2] + 16384) >> 15);
        }
    }
}

void grey_openmp(const uint8_t *rgb, int width, int height, struct weights w, uint8_t *grey) {
    columns(rgb, width, height, w, grey);
}

void grey_rows(const uint8_t *rgb, int width, int height, struct weights w, uint8_t *grey) {
    columns(rgb, width, height, w, grey);
}

void grey_sse(const uint8_t *rgb, int width, int height, struct weights w, uint8_t *grey) {
    columns(rgb, width, height, w, grey);
}

void grey_avx2(const uint8_t *rgb, int width, int height, struct weights w, uint8_t *grey) {
    columns(rgb, width, height, w, grey);
}
