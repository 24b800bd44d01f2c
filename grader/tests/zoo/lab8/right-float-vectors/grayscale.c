// zoo: right
//
// Floats, as source 001's version with multiply-adds has them: the weights in 1/32768 and every sum
// are floats exactly, so that the result is the same to the bit. Sections by schedule(dynamic).
#include "lab.h"

static uint8_t one(const uint8_t *p, struct weights w) {
    return (uint8_t)((w.r * (float)p[0] + w.g * (float)p[1] + w.b * (float)p[2]) / 32768.0f + 0.5f);
}

void grey_openmp(const uint8_t *rgb, int width, int height, struct weights w, uint8_t *grey) {
#pragma omp parallel for schedule(dynamic, 16)
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            grey[(size_t)y * width + x] = one(&rgb[((size_t)y * width + x) * 3], w);
        }
    }
}

void grey_rows(const uint8_t *rgb, int width, int height, struct weights w, uint8_t *grey) {
    const long long pixels = (long long)width * height;
#pragma omp parallel for
    for (long long i = 0; i < pixels; i++) {
        grey[i] = one(rgb + 3 * i, w);
    }
}

#if defined(__x86_64__)
#include <immintrin.h>

/* Four pixels: the channel at `first` of each, as floats. */
__attribute__((target("ssse3"))) static inline __m128 channel(__m128i four, char first) {
    const __m128i pick =
        _mm_setr_epi8(first, -1, -1, -1, (char)(first + 3), -1, -1, -1, (char)(first + 6), -1, -1,
                      -1, (char)(first + 9), -1, -1, -1);
    return _mm_cvtepi32_ps(_mm_shuffle_epi8(four, pick));
}

__attribute__((target("ssse3"))) void grey_sse(const uint8_t *rgb, int width, int height,
                                               struct weights w, uint8_t *grey) {
    const __m128 scale = _mm_set1_ps(1.0f / 32768.0f);
    const __m128 r = _mm_mul_ps(_mm_set1_ps((float)w.r), scale);
    const __m128 g = _mm_mul_ps(_mm_set1_ps((float)w.g), scale);
    const __m128 b = _mm_mul_ps(_mm_set1_ps((float)w.b), scale);
    const size_t pixels = (size_t)width * height;
    size_t i = 0;

    for (; i + 6 <= pixels;
         i += 4) { /* the load takes 16 bytes for 12: two pixels more must exist */
        const __m128i four = _mm_loadu_si128((const __m128i *)(rgb + 3 * i));
        __m128 sum = _mm_mul_ps(channel(four, 0), r);
        sum = _mm_add_ps(sum, _mm_mul_ps(channel(four, 1), g));
        sum = _mm_add_ps(sum, _mm_mul_ps(channel(four, 2), b));
        __m128i y = _mm_cvttps_epi32(_mm_add_ps(sum, _mm_set1_ps(0.5f)));
        y = _mm_packus_epi16(_mm_packs_epi32(y, y), y);
        const int packed = _mm_cvtsi128_si32(y);
        __builtin_memcpy(grey + i, &packed, 4);
    }
    for (; i < pixels; i++) {
        grey[i] = one(rgb + 3 * i, w);
    }
}

/* Eight pixels, 24 bytes, as 8 integers with one pixel's three bytes each. */
__attribute__((target("avx2,fma"))) static inline __m256i spread(const uint8_t *rgb) {
    const __m128i spread4 = _mm_setr_epi8(0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1);
    const __m128i low = _mm_loadu_si128((const __m128i *)rgb);
    const __m128i high = _mm_loadu_si128((const __m128i *)(rgb + 12));
    return _mm256_set_m128i(_mm_shuffle_epi8(high, spread4), _mm_shuffle_epi8(low, spread4));
}

__attribute__((target("avx2,fma"))) static inline __m256i eight(__m256i px, __m256 r, __m256 g,
                                                                __m256 b) {
    const __m256i byte = _mm256_set1_epi32(255);
    const __m256 red = _mm256_cvtepi32_ps(_mm256_and_si256(px, byte));
    const __m256 green = _mm256_cvtepi32_ps(_mm256_and_si256(_mm256_srli_epi32(px, 8), byte));
    const __m256 blue = _mm256_cvtepi32_ps(_mm256_srli_epi32(px, 16));
    const __m256 half = _mm256_set1_ps(0.5f);
    return _mm256_cvttps_epi32(
        _mm256_fmadd_ps(red, r, _mm256_fmadd_ps(green, g, _mm256_fmadd_ps(blue, b, half))));
}

__attribute__((target("avx2,fma"))) void grey_avx2(const uint8_t *rgb, int width, int height,
                                                   struct weights w, uint8_t *grey) {
    const __m256 r = _mm256_set1_ps((float)w.r / 32768.0f);
    const __m256 g = _mm256_set1_ps((float)w.g / 32768.0f);
    const __m256 b = _mm256_set1_ps((float)w.b / 32768.0f);
    const size_t pixels = (size_t)width * height;
    size_t i = 0;

    for (; i + 18 <= pixels; i += 16) {
        __m256i y = _mm256_packs_epi32(eight(spread(rgb + 3 * i), r, g, b),
                                       eight(spread(rgb + 3 * i + 24), r, g, b));
        y = _mm256_permute4x64_epi64(y, 0xd8);
        _mm_storeu_si128((__m128i *)(grey + i), _mm_packus_epi16(_mm256_castsi256_si128(y),
                                                                 _mm256_extracti128_si256(y, 1)));
    }
    for (; i < pixels; i++) {
        grey[i] = one(rgb + 3 * i, w);
    }
}
#else
void grey_sse(const uint8_t *rgb, int width, int height, struct weights w, uint8_t *grey) {
    grey_rows(rgb, width, height, w, grey);
}
void grey_avx2(const uint8_t *rgb, int width, int height, struct weights w, uint8_t *grey) {
    grey_rows(rgb, width, height, w, grey);
}
#endif
