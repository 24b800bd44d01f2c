// zoo: poor | global loads read words, not bytes; neighbouring lanes convert neighbouring pixels
//
// Right, and with intrinsics, but each register is put together from single bytes, as in source
// 001's first version with vectors: the moves cost more than the multiplications save.
#include "lab.h"

static uint8_t one(const uint8_t *p, struct weights w) {
    return (uint8_t)((w.r * p[0] + w.g * p[1] + w.b * p[2] + 16384) >> 15);
}

static void rest(const uint8_t *rgb, size_t i, size_t pixels, struct weights w, uint8_t *grey) {
    for (; i < pixels; i++) {
        grey[i] = one(rgb + 3 * i, w);
    }
}

void grey_openmp(const uint8_t *rgb, int width, int height, struct weights w, uint8_t *grey) {
#pragma omp parallel for
    for (int y = 0; y < height; y++) {
        rest(rgb + 3 * (size_t)y * width, 0, width, w, grey + (size_t)y * width);
    }
}

void grey_rows(const uint8_t *rgb, int width, int height, struct weights w, uint8_t *grey) {
    grey_openmp(rgb, width, height, w, grey);
}

#if defined(__x86_64__)
#include <immintrin.h>

__attribute__((target("ssse3"))) void grey_sse(const uint8_t *rgb, int width, int height,
                                               struct weights w, uint8_t *grey) {
    const size_t pixels = (size_t)width * height;
    size_t i = 0;
    for (; i + 4 <= pixels; i += 4) {
        const uint8_t *p = rgb + 3 * i;
        __m128 sum = _mm_mul_ps(_mm_set_ps(p[9], p[6], p[3], p[0]), _mm_set1_ps((float)w.r));
        sum = _mm_add_ps(sum,
                         _mm_mul_ps(_mm_set_ps(p[10], p[7], p[4], p[1]), _mm_set1_ps((float)w.g)));
        sum = _mm_add_ps(sum,
                         _mm_mul_ps(_mm_set_ps(p[11], p[8], p[5], p[2]), _mm_set1_ps((float)w.b)));
        sum = _mm_add_ps(sum, _mm_set1_ps(16384.0f));
        const __m128i y = _mm_srli_epi32(_mm_cvttps_epi32(sum), 15);
        int lanes[4];
        _mm_storeu_si128((__m128i *)lanes, y);
        for (int k = 0; k < 4; k++) {
            grey[i + k] = (uint8_t)lanes[k];
        }
    }
    rest(rgb, i, pixels, w, grey);
}

__attribute__((target("avx2"))) void grey_avx2(const uint8_t *rgb, int width, int height,
                                               struct weights w, uint8_t *grey) {
    const size_t pixels = (size_t)width * height;
    size_t i = 0;
    for (; i + 8 <= pixels; i += 8) {
        const uint8_t *p = rgb + 3 * i;
        const __m256i red = _mm256_setr_epi32(p[0], p[3], p[6], p[9], p[12], p[15], p[18], p[21]);
        const __m256i green =
            _mm256_setr_epi32(p[1], p[4], p[7], p[10], p[13], p[16], p[19], p[22]);
        const __m256i blue = _mm256_setr_epi32(p[2], p[5], p[8], p[11], p[14], p[17], p[20], p[23]);
        __m256i sum = _mm256_mullo_epi32(red, _mm256_set1_epi32(w.r));
        sum = _mm256_add_epi32(sum, _mm256_mullo_epi32(green, _mm256_set1_epi32(w.g)));
        sum = _mm256_add_epi32(sum, _mm256_mullo_epi32(blue, _mm256_set1_epi32(w.b)));
        sum = _mm256_srli_epi32(_mm256_add_epi32(sum, _mm256_set1_epi32(16384)), 15);
        int lanes[8];
        _mm256_storeu_si256((__m256i *)lanes, sum);
        for (int k = 0; k < 8; k++) {
            grey[i + k] = (uint8_t)lanes[k];
        }
    }
    rest(rgb, i, pixels, w, grey);
}
#else
void grey_sse(const uint8_t *rgb, int width, int height, struct weights w, uint8_t *grey) {
    grey_rows(rgb, width, height, w, grey);
}
void grey_avx2(const uint8_t *rgb, int width, int height, struct weights w, uint8_t *grey) {
    grey_rows(rgb, width, height, w, grey);
}
#endif
