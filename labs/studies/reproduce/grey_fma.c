/* Source 001's step "FMA": four pixels at a time in floats, gathered one by one into the register.
 * Lab 8 goes from rows straight to integers in SSE, so the step is written here, for the ladder.
 * A float holds every sum of lab 8's rule exactly, so the result is the same bytes. */
#include "lab.h" /* of lab 8 */

#if defined(__x86_64__)
#include <immintrin.h>

static uint8_t one(const uint8_t *p, struct weights w) {
    return (uint8_t)((w.r * p[0] + w.g * p[1] + w.b * p[2] + 16384) >> 15);
}

__attribute__((target("fma,sse4.1"))) static void four(const uint8_t *p, struct weights w,
                                                       uint8_t *grey) {
    const __m128 r = _mm_set_ps(p[9], p[6], p[3], p[0]);
    const __m128 g = _mm_set_ps(p[10], p[7], p[4], p[1]);
    const __m128 b = _mm_set_ps(p[11], p[8], p[5], p[2]);
    const float unit = 1.0f / 32768.0f;

    __m128 sum = _mm_set1_ps(0.5f); /* the conversion to an integer cuts off: half a unit more */
    sum = _mm_fmadd_ps(r, _mm_set1_ps((float)w.r * unit), sum);
    sum = _mm_fmadd_ps(g, _mm_set1_ps((float)w.g * unit), sum);
    sum = _mm_fmadd_ps(b, _mm_set1_ps((float)w.b * unit), sum);

    const __m128i whole = _mm_cvttps_epi32(sum);
    const __m128i words = _mm_packs_epi32(whole, whole);
    const int bytes = _mm_cvtsi128_si32(_mm_packus_epi16(words, words));
    __builtin_memcpy(grey, &bytes, 4);
}

/* As grey_rows(), on a processor with FMA and SSE4.1. */
void grey_fma(const uint8_t *rgb, int width, int height, struct weights w, uint8_t *grey);

__attribute__((target("fma,sse4.1"))) void grey_fma(const uint8_t *rgb, int width, int height,
                                                    struct weights w, uint8_t *grey) {
    const size_t pixels = (size_t)width * (size_t)height;

#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < pixels / 4; i++) {
        four(rgb + 12 * i, w, grey + 4 * i);
    }
    for (size_t i = pixels / 4 * 4; i < pixels; i++) {
        grey[i] = one(rgb + 3 * i, w);
    }
}

#endif
