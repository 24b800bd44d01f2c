// zoo: right
//
// The extra of part D: the same steps in four lanes, 64 pixels at a time, chosen while the program
// runs. A processor without AVX-512 takes the road with AVX2. Threads get sections of whole
// vectors.
#include "lab.h"

#include <omp.h>

static void scalar(const uint8_t *rgb, size_t pixels, struct weights w, uint8_t *grey) {
    for (size_t i = 0; i < pixels; i++, rgb += 3) {
        grey[i] = (uint8_t)((w.r * rgb[0] + w.g * rgb[1] + w.b * rgb[2] + 16384) >> 15);
    }
}

typedef void section(const uint8_t *rgb, size_t pixels, struct weights w, uint8_t *grey);

static void in_sections(section *function, const uint8_t *rgb, size_t pixels, struct weights w,
                        uint8_t *grey) {
#pragma omp parallel
    {
        const size_t vectors = pixels / 64, n = omp_get_num_threads(), i = omp_get_thread_num();
        const size_t first = vectors * i / n * 64;
        const size_t end = i + 1 == n ? pixels : vectors * (i + 1) / n * 64;
        function(rgb + 3 * first, end - first, w, grey + first);
    }
}

void grey_openmp(const uint8_t *rgb, int width, int height, struct weights w, uint8_t *grey) {
#pragma omp parallel for
    for (int y = 0; y < height; y++) {
        scalar(rgb + (size_t)y * width * 3, width, w, grey + (size_t)y * width);
    }
}

void grey_rows(const uint8_t *rgb, int width, int height, struct weights w, uint8_t *grey) {
    in_sections(scalar, rgb, (size_t)width * height, w, grey);
}

#if defined(__x86_64__)
#include <immintrin.h>

#define PICK_RG 0, -1, 1, -1, 3, -1, 4, -1, 6, -1, 7, -1, 9, -1, 10, -1
#define PICK_B 2, -1, -1, -1, 5, -1, -1, -1, 8, -1, -1, -1, 11, -1, -1, -1

__attribute__((target("ssse3"))) static inline __m128i grey4(__m128i px, struct weights w) {
    const __m128i rg = _mm_shuffle_epi8(px, _mm_setr_epi8(PICK_RG));
    const __m128i b = _mm_or_si128(_mm_shuffle_epi8(px, _mm_setr_epi8(PICK_B)),
                                   _mm_set1_epi32(1 << 16)); /* B, 1: the half is the weight of 1 */
    return _mm_srli_epi32(_mm_add_epi32(_mm_madd_epi16(rg, _mm_set1_epi32(w.g << 16 | w.r)),
                                        _mm_madd_epi16(b, _mm_set1_epi32(16384 << 16 | w.b))),
                          15);
}

__attribute__((target("ssse3"))) static void with_sse(const uint8_t *rgb, size_t pixels,
                                                      struct weights w, uint8_t *grey) {
    const __m128i *in = (const __m128i *)rgb;
    size_t i = 0;
    for (; i + 16 <= pixels; i += 16, in += 3) {
        const __m128i a = _mm_loadu_si128(in), b = _mm_loadu_si128(in + 1);
        const __m128i c = _mm_loadu_si128(in + 2);
        const __m128i y = _mm_packs_epi32(grey4(a, w), grey4(_mm_alignr_epi8(b, a, 12), w));
        const __m128i z =
            _mm_packs_epi32(grey4(_mm_alignr_epi8(c, b, 8), w), grey4(_mm_srli_si128(c, 4), w));
        _mm_storeu_si128((__m128i *)(grey + i), _mm_packus_epi16(y, z));
    }
    scalar(rgb + 3 * i, pixels - i, w, grey + i);
}

void grey_sse(const uint8_t *rgb, int width, int height, struct weights w, uint8_t *grey) {
    in_sections(with_sse, rgb, (size_t)width * height, w, grey);
}

__attribute__((target("avx2"))) static inline __m256i grey8(__m256i px, struct weights w) {
    const __m256i rg = _mm256_shuffle_epi8(px, _mm256_setr_epi8(PICK_RG, PICK_RG));
    const __m256i b = _mm256_or_si256(_mm256_shuffle_epi8(px, _mm256_setr_epi8(PICK_B, PICK_B)),
                                      _mm256_set1_epi32(1 << 16));
    return _mm256_srli_epi32(
        _mm256_add_epi32(_mm256_madd_epi16(rg, _mm256_set1_epi32(w.g << 16 | w.r)),
                         _mm256_madd_epi16(b, _mm256_set1_epi32(16384 << 16 | w.b))),
        15);
}

/* Two runs of 48 bytes, one for each lane: no register is ever taken apart. */
__attribute__((target("avx2"))) static void with_avx2(const uint8_t *rgb, size_t pixels,
                                                      struct weights w, uint8_t *grey) {
    size_t i = 0;
    for (; i + 32 <= pixels; i += 32, rgb += 96) {
        const __m256i a = _mm256_loadu2_m128i((const __m128i *)(rgb + 48), (const __m128i *)rgb);
        const __m256i b =
            _mm256_loadu2_m128i((const __m128i *)(rgb + 64), (const __m128i *)(rgb + 16));
        const __m256i c =
            _mm256_loadu2_m128i((const __m128i *)(rgb + 80), (const __m128i *)(rgb + 32));
        const __m256i y = _mm256_packs_epi32(grey8(a, w), grey8(_mm256_alignr_epi8(b, a, 12), w));
        const __m256i z = _mm256_packs_epi32(grey8(_mm256_alignr_epi8(c, b, 8), w),
                                             grey8(_mm256_srli_si256(c, 4), w));
        _mm256_storeu_si256((__m256i *)(grey + i), _mm256_packus_epi16(y, z));
    }
    scalar(rgb, pixels - i, w, grey + i);
}

__attribute__((target("avx512bw"))) static inline __m512i grey16(__m512i px, struct weights w) {
    const __m512i pick_rg = _mm512_broadcast_i32x4(_mm_setr_epi8(PICK_RG));
    const __m512i pick_b = _mm512_broadcast_i32x4(_mm_setr_epi8(PICK_B));
    const __m512i rg = _mm512_shuffle_epi8(px, pick_rg);
    const __m512i b = _mm512_or_si512(_mm512_shuffle_epi8(px, pick_b), _mm512_set1_epi32(1 << 16));
    return _mm512_srli_epi32(
        _mm512_add_epi32(_mm512_madd_epi16(rg, _mm512_set1_epi32(w.g << 16 | w.r)),
                         _mm512_madd_epi16(b, _mm512_set1_epi32(16384 << 16 | w.b))),
        15);
}

/* 192 bytes are twelve lanes; lane k of `a` is lane 3k of them, of `b` 3k + 1, of `c` 3k + 2. */
__attribute__((target("avx512bw"))) static void with_avx512(const uint8_t *rgb, size_t pixels,
                                                            struct weights w, uint8_t *grey) {
    const __m512i low_a = _mm512_setr_epi64(0, 1, 6, 7, 12, 13, 0, 0);
    const __m512i low_b = _mm512_setr_epi64(2, 3, 8, 9, 14, 15, 0, 0);
    const __m512i low_c = _mm512_setr_epi64(4, 5, 10, 11, 0, 0, 0, 0);
    const __m512i all_a = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 10, 11);
    const __m512i all_b = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 12, 13);
    const __m512i all_c = _mm512_setr_epi64(0, 1, 2, 3, 8, 9, 14, 15);
    size_t i = 0;

    for (; i + 64 <= pixels; i += 64, rgb += 192) {
        const __m512i p = _mm512_loadu_si512(rgb), q = _mm512_loadu_si512(rgb + 64);
        const __m512i r = _mm512_loadu_si512(rgb + 128);
        const __m512i a =
            _mm512_permutex2var_epi64(_mm512_permutex2var_epi64(p, low_a, q), all_a, r);
        const __m512i b =
            _mm512_permutex2var_epi64(_mm512_permutex2var_epi64(p, low_b, q), all_b, r);
        const __m512i c =
            _mm512_permutex2var_epi64(_mm512_permutex2var_epi64(p, low_c, q), all_c, r);
        const __m512i y = _mm512_packs_epi32(grey16(a, w), grey16(_mm512_alignr_epi8(b, a, 12), w));
        const __m512i z = _mm512_packs_epi32(grey16(_mm512_alignr_epi8(c, b, 8), w),
                                             grey16(_mm512_bsrli_epi128(c, 4), w));
        _mm512_storeu_si512(grey + i, _mm512_packus_epi16(y, z));
    }
    with_avx2(rgb, pixels - i, w, grey + i);
}

void grey_avx2(const uint8_t *rgb, int width, int height, struct weights w, uint8_t *grey) {
    section *best = __builtin_cpu_supports("avx512bw") ? with_avx512 : with_avx2;
    in_sections(best, rgb, (size_t)width * height, w, grey);
}
#else
void grey_sse(const uint8_t *rgb, int width, int height, struct weights w, uint8_t *grey) {
    grey_rows(rgb, width, height, w, grey);
}
void grey_avx2(const uint8_t *rgb, int width, int height, struct weights w, uint8_t *grey) {
    grey_rows(rgb, width, height, w, grey);
}
#endif
