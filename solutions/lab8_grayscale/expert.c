/* Lab 8 with a faster part D: AVX2, as exact as grayscale.c, with fewer instructions; of large
 * images, the stores are non-temporal. All else is grayscale.c. notes.md has the floor, what each
 * step gained, and what limits this code. Like that file, it is compiled without gcc's
 * vectorizer. */
#include "lab.h"

#include <stdbool.h>

#ifdef __x86_64__
#define grey_avx2 grey_avx2_cached
#include "grayscale.c"
#undef grey_avx2

enum {
    STREAM_FROM = 6 << 20, /* pixels: 24 MB for both images, more than a core's share of caches */
    LINE = 64,             /* bytes of a cache line; sections begin at multiples of it */
    AHEAD = 6144           /* bytes: what is prefetched. Hardware stops at the end of a page */
};

#define AVX2 __attribute__((target("avx2")))
#define INLINE static inline __attribute__((always_inline))

/* The steps are those of grayscale.c, with two changes. No group of 12 bytes is shifted: the last
 * one is picked from where it is. And the half is not added before the shift: (sum + 2^14) >> 15 is
 * ((sum >> 14) + 1) >> 1, which is the average of sum >> 14 and 0, and one average does that for 16
 * pixels. */
struct constants {
    __m256i rg, b; /* which byte of a group goes where; -1 gives 0 */
    __m256i weigh_rg, weigh_b;
};

/* For groups that begin at byte `at` of their lane. */
AVX2 INLINE struct constants constants(struct weights w, char at) {
    const char r0 = at, r1 = at + 3, r2 = at + 6, r3 = at + 9;
    return (struct constants){
        _mm256_broadcastsi128_si256(_mm_setr_epi8(r0, -1, r0 + 1, -1, r1, -1, r1 + 1, -1, r2, -1,
                                                  r2 + 1, -1, r3, -1, r3 + 1, -1)),
        _mm256_broadcastsi128_si256(_mm_setr_epi8(r0 + 2, -1, -1, -1, r1 + 2, -1, -1, -1, r2 + 2,
                                                  -1, -1, -1, r3 + 2, -1, -1, -1)),
        _mm256_set1_epi32(w.g << 16 | w.r),
        _mm256_set1_epi32(w.b),
    };
}

/* The weighted sums of 4 pixels in each lane, shifted right by 14. */
AVX2 INLINE __m256i sums(__m256i groups, const struct constants *k) {
    const __m256i rg = _mm256_madd_epi16(_mm256_shuffle_epi8(groups, k->rg), k->weigh_rg);
    const __m256i b = _mm256_madd_epi16(_mm256_shuffle_epi8(groups, k->b), k->weigh_b);
    return _mm256_srli_epi32(_mm256_add_epi32(rg, b), 14);
}

/* 32 pixels. Three loads that cross no cache line if rgb is aligned to 32 bytes. Then as in
 * grayscale.c: the lower lanes get pixels 0 to 15, the upper lanes 16 to 31. */
AVX2 INLINE __m256i vector(const uint8_t *rgb, const struct constants *k,
                           const struct constants *last) {
    const __m256i zero = _mm256_setzero_si256();
    const __m256i lanes01 = _mm256_loadu_si256((const __m256i *)rgb);
    const __m256i lanes23 = _mm256_loadu_si256((const __m256i *)(rgb + 32));
    const __m256i lanes45 = _mm256_loadu_si256((const __m256i *)(rgb + 64));
    const __m256i low = _mm256_blend_epi32(lanes01, lanes23, 0xf0);
    const __m256i middle = _mm256_permute2x128_si256(lanes01, lanes45, 0x21);
    const __m256i high = _mm256_blend_epi32(lanes23, lanes45, 0xf0);

    const __m256i y0to7 =
        _mm256_packs_epi32(sums(low, k), sums(_mm256_alignr_epi8(middle, low, 12), k));
    const __m256i y8to15 =
        _mm256_packs_epi32(sums(_mm256_alignr_epi8(high, middle, 8), k), sums(high, last));
    return _mm256_packus_epi16(_mm256_avg_epu16(y0to7, zero), _mm256_avg_epu16(y8to15, zero));
}

/* Converts `pixels` pixels that are consecutive in memory. With `stream`, stores are non-temporal
 * (an ordinary store would first read the line that it overwrites). */
AVX2 static void convert_vectors(const uint8_t *rgb, size_t pixels, struct weights w, uint8_t *grey,
                                 bool stream) {
    const struct constants k = constants(w, 0), last = constants(w, 4);
    size_t i = 0;

    if (stream) {
        const size_t to_line = -(uintptr_t)grey % LINE; /* such stores need whole lines */
        i = to_line < pixels ? to_line : pixels;
        convert_plain(rgb, i, w, grey);
        for (; i + 32 <= pixels; i += 32) {
            _mm_prefetch(rgb + 3 * i + AHEAD, _MM_HINT_NTA);
            _mm_prefetch(rgb + 3 * i + AHEAD + LINE, _MM_HINT_NTA);
            _mm256_stream_si256((__m256i *)(grey + i), vector(rgb + 3 * i, &k, &last));
        }
        _mm_sfence();
    }
    for (; i + 32 <= pixels; i += 32) {
        _mm256_storeu_si256((__m256i *)(grey + i), vector(rgb + 3 * i, &k, &last));
    }
    convert_plain(rgb + 3 * i, pixels - i, w, grey + i);
}

void grey_avx2(const uint8_t *rgb, int width, int height, struct weights w, uint8_t *grey) {
    const size_t pixels = (size_t)width * height;
    const size_t share = (pixels - 1) / omp_get_max_threads() + 1;
    const size_t section = (share + LINE - 1) / LINE * LINE;

#pragma omp parallel for schedule(static)
    for (size_t first = 0; first < pixels; first += section) {
        const size_t left = pixels - first;
        convert_vectors(rgb + 3 * first, left < section ? left : section, w, grey + first,
                        pixels >= STREAM_FROM);
    }
}

#else
#include "grayscale.c"
#endif
