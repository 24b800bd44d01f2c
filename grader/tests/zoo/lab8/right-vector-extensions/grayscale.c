// zoo: right
//
// No intrinsics: gcc's vector types, which it turns into the instructions of the target, and a
// table of products in part B. Byte moves are __builtin_shuffle().
#include "lab.h"

void grey_openmp(const uint8_t *rgb, int width, int height, struct weights w, uint8_t *grey) {
    const int pixels = width * height; /* this lab's images fit */
#pragma omp parallel for
    for (int i = 0; i < pixels; i++) {
        const unsigned r = rgb[3 * i], g = rgb[3 * i + 1], b = rgb[3 * i + 2];
        grey[i] = (uint8_t)((r * w.r + g * w.g + b * w.b + (1u << 14)) / (1u << 15));
    }
}

static void from(const uint8_t *rgb, size_t pixels, struct weights w, uint8_t *grey) {
    unsigned red[256], green[256], blue[256];
    for (int i = 0; i < 256; i++) {
        red[i] = w.r * i + 16384;
        green[i] = w.g * i;
        blue[i] = w.b * i;
    }
    for (; pixels; pixels--, rgb += 3) {
        *grey++ = (uint8_t)((red[rgb[0]] + green[rgb[1]] + blue[rgb[2]]) >> 15);
    }
}

void grey_rows(const uint8_t *rgb, int width, int height, struct weights w, uint8_t *grey) {
#pragma omp parallel for
    for (int y = 0; y < height; y++) {
        from(rgb + 3 * (size_t)y * width, width, w, grey + (size_t)y * width);
    }
}

typedef uint8_t bytes16 __attribute__((vector_size(16)));
typedef uint32_t words4 __attribute__((vector_size(16)));
typedef uint8_t bytes32 __attribute__((vector_size(32)));
typedef uint32_t words8 __attribute__((vector_size(32)));

#if defined(__x86_64__)
#define SSSE3 __attribute__((target("ssse3")))
#define AVX2 __attribute__((target("avx2")))
#else
#define SSSE3
#define AVX2
#endif

SSSE3 void grey_sse(const uint8_t *rgb, int width, int height, struct weights w, uint8_t *grey) {
    const bytes16 spread = {0, 1, 2, 15, 3, 4, 5, 15, 6, 7, 8, 15, 9, 10, 11, 15};
    const size_t pixels = (size_t)width * height;
    size_t i = 0;

    for (; i + 6 <= pixels; i += 4) {
        bytes16 raw;
        __builtin_memcpy(&raw, rgb + 3 * i, 16);
        const words4 px = (words4)__builtin_shuffle(raw, spread);
        const words4 y = ((px & 255) * (uint32_t)w.r + (px >> 8 & 255) * (uint32_t)w.g +
                          (px >> 16 & 255) * (uint32_t)w.b + 16384) >>
                         15;
        for (int k = 0; k < 4; k++) {
            grey[i + k] = (uint8_t)y[k];
        }
    }
    from(rgb + 3 * i, pixels - i, w, grey + i);
}

AVX2 void grey_avx2(const uint8_t *rgb, int width, int height, struct weights w, uint8_t *grey) {
    const bytes32 spread = {0,  1,  2,  15, 3,  4,  5,  15, 6,  7,  8,  15, 9,  10, 11, 15,
                            16, 17, 18, 31, 19, 20, 21, 31, 22, 23, 24, 31, 25, 26, 27, 31};
    const size_t pixels = (size_t)width * height;
    size_t i = 0;

    for (; i + 10 <= pixels; i += 8) {
        bytes32 raw;
        __builtin_memcpy(&raw, rgb + 3 * i, 16);
        __builtin_memcpy((uint8_t *)&raw + 16, rgb + 3 * i + 12, 16);
        const words8 px = (words8)__builtin_shuffle(raw, spread);
        const words8 y = ((px & 255) * (uint32_t)w.r + (px >> 8 & 255) * (uint32_t)w.g +
                          (px >> 16 & 255) * (uint32_t)w.b + 16384) >>
                         15;
        for (int k = 0; k < 8; k++) {
            grey[i + k] = (uint8_t)y[k];
        }
    }
    from(rgb + 3 * i, pixels - i, w, grey + i);
}
