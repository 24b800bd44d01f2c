// zoo: right
//
// Tasks, chunks by thread number, mulhi and exact floats; on the GPU RAII, lambdas and two kernels.
#include "lab.h"
#include <omp.h>
/* A: tasks; B: manual chunks by omp_get_thread_num; C: mullo/mulhi; D: unaligned loads, 8 pixels by
 * gather-free float conversion that is exact */
static inline uint8_t one(const uint8_t *p, const struct weights *w) {
    const unsigned s = (unsigned)w->r * p[0] + (unsigned)w->g * p[1] + (unsigned)w->b * p[2];
    return (uint8_t)((s + (1u << 14)) / 32768u);
}
void grey_openmp(const uint8_t *restrict rgb, int width, int height, struct weights w,
                 uint8_t *restrict grey) {
#pragma omp parallel
#pragma omp single
    for (int y = 0; y < height; y += 8) {
#pragma omp task firstprivate(y)
        for (int j = y; j < y + 8 && j < height; j++)
            for (int x = 0; x < width; x++) {
                const size_t i = (size_t)j * (size_t)width + (size_t)x;
                grey[i] = one(rgb + 3 * i, &w);
            }
    }
}
static void line(const uint8_t *p, size_t n, const struct weights *w, uint8_t *q) {
    while (n-- > 0) {
        *q++ = one(p, w);
        p += 3;
    }
}
typedef void line_fn(const uint8_t *, size_t, const struct weights *, uint8_t *);
static void chunks(line_fn *f, const uint8_t *rgb, size_t n, struct weights w, uint8_t *grey,
                   size_t unit) {
#pragma omp parallel
    {
        const size_t t = (size_t)omp_get_thread_num(), all = (size_t)omp_get_num_threads();
        const size_t units = (n + unit - 1) / unit;
        size_t a = units * t / all * unit, b = units * (t + 1) / all * unit;
        if (b > n)
            b = n;
        if (a < b)
            f(rgb + 3 * a, b - a, &w, grey + a);
    }
}
void grey_rows(const uint8_t *rgb, int width, int height, struct weights w, uint8_t *grey) {
    chunks(line, rgb, (size_t)width * height, w, grey, 1);
}
#if defined(__x86_64__)
#include <immintrin.h>
/* 8 pixels from 24 bytes: three 16-bit vectors, mullo and mulhi to 32 bits */
__attribute__((target("ssse3"))) static __m128i eight(const uint8_t *p, const struct weights *w) {
    const __m128i lo = _mm_loadu_si128((const __m128i *)p),
                  hi = _mm_loadl_epi64((const __m128i *)(p + 16));
    const __m128i z = _mm_set1_epi8(-1);
    (void)z;
#define PICK(a, b) _mm_or_si128(_mm_shuffle_epi8(lo, a), _mm_shuffle_epi8(hi, b))
    const __m128i r =
        PICK(_mm_setr_epi8(0, -1, 3, -1, 6, -1, 9, -1, 12, -1, 15, -1, -1, -1, -1, -1),
             _mm_setr_epi8(-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 2, -1, 5, -1));
    const __m128i g =
        PICK(_mm_setr_epi8(1, -1, 4, -1, 7, -1, 10, -1, 13, -1, -1, -1, -1, -1, -1, -1),
             _mm_setr_epi8(-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 0, -1, 3, -1, 6, -1));
    const __m128i b =
        PICK(_mm_setr_epi8(2, -1, 5, -1, 8, -1, 11, -1, 14, -1, -1, -1, -1, -1, -1, -1),
             _mm_setr_epi8(-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 1, -1, 4, -1, 7, -1));
    __m128i s0 = _mm_set1_epi32(16384), s1 = s0;
    const __m128i v[3] = {r, g, b};
    const short k[3] = {(short)w->r, (short)w->g, (short)w->b};
    for (int i = 0; i < 3; i++) {
        const __m128i c = _mm_set1_epi16(k[i]), l = _mm_mullo_epi16(v[i], c),
                      h = _mm_mulhi_epu16(v[i], c);
        s0 = _mm_add_epi32(s0, _mm_unpacklo_epi16(l, h));
        s1 = _mm_add_epi32(s1, _mm_unpackhi_epi16(l, h));
    }
    return _mm_packs_epi32(_mm_srai_epi32(s0, 15), _mm_srai_epi32(s1, 15));
}
__attribute__((target("ssse3"))) static void line_sse(const uint8_t *p, size_t n,
                                                      const struct weights *w, uint8_t *q) {
    size_t i = 0;
    for (; i + 16 <= n; i += 16)
        _mm_storeu_si128((__m128i *)(q + i),
                         _mm_packus_epi16(eight(p + 3 * i, w), eight(p + 3 * i + 24, w)));
    if (i + 8 <= n) {
        _mm_storel_epi64((__m128i *)(q + i),
                         _mm_packus_epi16(eight(p + 3 * i, w), _mm_setzero_si128()));
        i += 8;
    }
    line(p + 3 * i, n - i, w, q + i);
}
void grey_sse(const uint8_t *rgb, int width, int height, struct weights w, uint8_t *grey) {
    chunks(line_sse, rgb, (size_t)width * height, w, grey, 16);
}
__attribute__((target("avx2"))) static __m256i eight32(const uint8_t *p, const struct weights *w) {
    /* two loads that overlap: bytes 0..15 and 8..23; each lane has 4 pixels (at 0 and at 4) */
    const __m256i x =
        _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)p)),
                                _mm_loadu_si128((const __m128i *)(p + 8)), 1);
    const __m256i pr =
        _mm256_setr_epi8(0, -1, -1, -1, 3, -1, -1, -1, 6, -1, -1, -1, 9, -1, -1, -1, 4, -1, -1, -1,
                         7, -1, -1, -1, 10, -1, -1, -1, 13, -1, -1, -1);
    const __m256i one8 = _mm256_set1_epi32(1);
    (void)one8;
    const __m256i pg =
        _mm256_setr_epi8(1, -1, -1, -1, 4, -1, -1, -1, 7, -1, -1, -1, 10, -1, -1, -1, 5, -1, -1, -1,
                         8, -1, -1, -1, 11, -1, -1, -1, 14, -1, -1, -1);
    const __m256i pb =
        _mm256_setr_epi8(2, -1, -1, -1, 5, -1, -1, -1, 8, -1, -1, -1, 11, -1, -1, -1, 6, -1, -1, -1,
                         9, -1, -1, -1, 12, -1, -1, -1, 15, -1, -1, -1);
    const __m256 r = _mm256_cvtepi32_ps(_mm256_shuffle_epi8(x, pr)),
                 g = _mm256_cvtepi32_ps(_mm256_shuffle_epi8(x, pg)),
                 b = _mm256_cvtepi32_ps(_mm256_shuffle_epi8(x, pb));
    __m256 s = _mm256_mul_ps(r, _mm256_set1_ps((float)w->r));
    s = _mm256_add_ps(s, _mm256_mul_ps(g, _mm256_set1_ps((float)w->g)));
    s = _mm256_add_ps(s, _mm256_mul_ps(b, _mm256_set1_ps((float)w->b)));
    s = _mm256_mul_ps(_mm256_add_ps(s, _mm256_set1_ps(16384.0f)), _mm256_set1_ps(1.0f / 32768));
    return _mm256_cvttps_epi32(s);
}
__attribute__((target("avx2"))) static void line_avx2(const uint8_t *p, size_t n,
                                                      const struct weights *w, uint8_t *q) {
    for (; n >= 32; n -= 32, p += 96, q += 32) {
        const __m256i a = _mm256_packs_epi32(eight32(p, w), eight32(p + 24, w)),
                      b = _mm256_packs_epi32(eight32(p + 48, w), eight32(p + 72, w));
        const __m256i c = _mm256_packus_epi16(a, b); /* dwords 0 2 4 6 | 1 3 5 7 */
        _mm256_storeu_si256((__m256i *)q, _mm256_permutevar8x32_epi32(
                                              c, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7)));
    }
    line(p, n, w, q);
}
void grey_avx2(const uint8_t *rgb, int width, int height, struct weights w, uint8_t *grey) {
    chunks(line_avx2, rgb, (size_t)width * height, w, grey, 32);
}
#endif
