/* Lab 8, parts A to D, as fast as we can make it: the functions of lab.h, and expert_grey(), which
 * chooses the widest vectors that the processor has. The reference, the clearest code that earns
 * full marks, is grayscale.c. notes.md has the floor, what each step gained, and what limits this
 * code.
 *
 * Graded in the place of the lab's file, it gets full marks. Like that file, it is compiled without
 * gcc's vectorizer.
 */
#include "lab.h"

#include <omp.h>
#include <stdbool.h>

enum {
    SECTION = 64,          /* sections of the image begin at multiples of this many pixels */
    STREAM_FROM = 6 << 20, /* pixels: 24 MB for both images, more than a core's share of caches */
    LINE = 64,             /* bytes of a cache line */
    AHEAD = 6144           /* bytes: what is prefetched. Hardware stops at the end of a page */
};

/* Converts `pixels` pixels that are consecutive in memory. With `stream`, stores go past the caches
 * to memory: a normal store would first read the line that it overwrites. */
typedef void convert(const uint8_t *rgb, size_t pixels, struct weights w, uint8_t *grey,
                     bool stream);

#define INLINE static inline __attribute__((always_inline))

static void convert_plain(const uint8_t *rgb, size_t pixels, struct weights w, uint8_t *grey,
                          bool stream) {
    (void)stream;
    for (size_t i = 0; i < pixels; i++) {
        grey[i] = (uint8_t)((w.r * rgb[0] + w.g * rgb[1] + w.b * rgb[2] + (1 << 14)) >> 15);
        rgb += 3;
    }
}

/* Each thread converts one contiguous section. */
static void share_out(convert *function, const uint8_t *rgb, int width, int height,
                      struct weights w, uint8_t *grey) {
    const size_t pixels = (size_t)width * height;
    const size_t share = (pixels - 1) / omp_get_max_threads() + 1;
    const size_t section = (share + SECTION - 1) / SECTION * SECTION;

#pragma omp parallel for schedule(static)
    for (size_t first = 0; first < pixels; first += section) {
        const size_t left = pixels - first;
        function(rgb + 3 * first, left < section ? left : section, w, grey + first,
                 pixels >= STREAM_FROM);
    }
}

#if defined(__x86_64__)
#include <immintrin.h>

/* How many pixels come before the first cache line of grey. Stores that go past the caches need
 * whole lines. */
static size_t pixels_to_line(const uint8_t *grey, size_t pixels) {
    const size_t count = -(uintptr_t)grey % LINE;
    return count < pixels ? count : pixels;
}

/* ---- 16 pixels at a time: SSSE3 ----
 *
 * The steps are those of grayscale.c, with two changes. Each group of 12 bytes is loaded from where
 * it is, which costs less than joining two registers. And the half is not added before the shift:
 * (sum + 2^14) >> 15 is ((sum >> 14) + 1) >> 1, which is the average of sum >> 14 and 0, and one
 * average does that for 8 pixels. */

#define SSSE3 __attribute__((target("ssse3")))

struct sse_constants {
    __m128i rg, b; /* which byte of a group goes where; -1 gives 0 */
    __m128i weigh_rg, weigh_b;
};

/* For groups that begin at byte `at` of their register. */
SSSE3 INLINE struct sse_constants sse_constants(struct weights w, char at) {
    const char r0 = at, r1 = at + 3, r2 = at + 6, r3 = at + 9;
    return (struct sse_constants){
        _mm_setr_epi8(r0, -1, r0 + 1, -1, r1, -1, r1 + 1, -1, r2, -1, r2 + 1, -1, r3, -1, r3 + 1,
                      -1),
        _mm_setr_epi8(r0 + 2, -1, -1, -1, r1 + 2, -1, -1, -1, r2 + 2, -1, -1, -1, r3 + 2, -1, -1,
                      -1),
        _mm_set1_epi32(w.g << 16 | w.r),
        _mm_set1_epi32(w.b),
    };
}

/* The weighted sums of 4 pixels, shifted right by 14. */
SSSE3 INLINE __m128i sse_sums(__m128i group, const struct sse_constants *k) {
    const __m128i rg = _mm_madd_epi16(_mm_shuffle_epi8(group, k->rg), k->weigh_rg);
    const __m128i b = _mm_madd_epi16(_mm_shuffle_epi8(group, k->b), k->weigh_b);
    return _mm_srli_epi32(_mm_add_epi32(rg, b), 14);
}

SSSE3 INLINE __m128i sse_load(const uint8_t *from) {
    return _mm_loadu_si128((const __m128i *)from);
}

/* 16 pixels. The last group is bytes 4 to 15 of a load: nothing beyond the 48 bytes is read. */
SSSE3 INLINE __m128i sse_vector(const uint8_t *rgb, const struct sse_constants *k,
                                const struct sse_constants *last) {
    const __m128i zero = _mm_setzero_si128();
    const __m128i y0to7 =
        _mm_packs_epi32(sse_sums(sse_load(rgb), k), sse_sums(sse_load(rgb + 12), k));
    const __m128i y8to15 =
        _mm_packs_epi32(sse_sums(sse_load(rgb + 24), k), sse_sums(sse_load(rgb + 32), last));
    return _mm_packus_epi16(_mm_avg_epu16(y0to7, zero), _mm_avg_epu16(y8to15, zero));
}

SSSE3 static void convert_ssse3(const uint8_t *rgb, size_t pixels, struct weights w, uint8_t *grey,
                                bool stream) {
    const struct sse_constants k = sse_constants(w, 0), last = sse_constants(w, 4);
    size_t i = 0;

    if (stream) {
        i = pixels_to_line(grey, pixels);
        convert_plain(rgb, i, w, grey, false);
        for (; i + 16 <= pixels; i += 16) {
            _mm_prefetch(rgb + 3 * i + AHEAD, _MM_HINT_NTA);
            _mm_stream_si128((__m128i *)(grey + i), sse_vector(rgb + 3 * i, &k, &last));
        }
        _mm_sfence();
    }
    for (; i + 16 <= pixels; i += 16) {
        _mm_storeu_si128((__m128i *)(grey + i), sse_vector(rgb + 3 * i, &k, &last));
    }
    convert_plain(rgb + 3 * i, pixels - i, w, grey + i, false);
}

/* ---- 32 pixels at a time: AVX2, the same in both lanes ---- */

#define AVX2 __attribute__((target("avx2")))

struct avx2_constants {
    __m256i rg, b, weigh_rg, weigh_b;
};

AVX2 INLINE struct avx2_constants in_both_lanes(struct sse_constants k) {
    return (struct avx2_constants){
        _mm256_broadcastsi128_si256(k.rg),
        _mm256_broadcastsi128_si256(k.b),
        _mm256_broadcastsi128_si256(k.weigh_rg),
        _mm256_broadcastsi128_si256(k.weigh_b),
    };
}

AVX2 INLINE __m256i avx2_sums(__m256i groups, const struct avx2_constants *k) {
    const __m256i rg = _mm256_madd_epi16(_mm256_shuffle_epi8(groups, k->rg), k->weigh_rg);
    const __m256i b = _mm256_madd_epi16(_mm256_shuffle_epi8(groups, k->b), k->weigh_b);
    return _mm256_srli_epi32(_mm256_add_epi32(rg, b), 14);
}

/* Three loads that cross no cache line if rgb is aligned to 32 bytes. Then as in grayscale.c: the
 * lower lanes get pixels 0 to 15, the upper lanes 16 to 31. */
AVX2 INLINE __m256i avx2_vector(const uint8_t *rgb, const struct avx2_constants *k,
                                const struct avx2_constants *last) {
    const __m256i zero = _mm256_setzero_si256();
    const __m256i lanes01 = _mm256_loadu_si256((const __m256i *)rgb);
    const __m256i lanes23 = _mm256_loadu_si256((const __m256i *)(rgb + 32));
    const __m256i lanes45 = _mm256_loadu_si256((const __m256i *)(rgb + 64));
    const __m256i low = _mm256_blend_epi32(lanes01, lanes23, 0xf0);
    const __m256i middle = _mm256_permute2x128_si256(lanes01, lanes45, 0x21);
    const __m256i high = _mm256_blend_epi32(lanes23, lanes45, 0xf0);

    const __m256i y0to7 =
        _mm256_packs_epi32(avx2_sums(low, k), avx2_sums(_mm256_alignr_epi8(middle, low, 12), k));
    const __m256i y8to15 = _mm256_packs_epi32(avx2_sums(_mm256_alignr_epi8(high, middle, 8), k),
                                              avx2_sums(high, last));
    return _mm256_packus_epi16(_mm256_avg_epu16(y0to7, zero), _mm256_avg_epu16(y8to15, zero));
}

AVX2 static void convert_avx2(const uint8_t *rgb, size_t pixels, struct weights w, uint8_t *grey,
                              bool stream) {
    const struct avx2_constants k = in_both_lanes(sse_constants(w, 0));
    const struct avx2_constants last = in_both_lanes(sse_constants(w, 4));
    size_t i = 0;

    if (stream) {
        i = pixels_to_line(grey, pixels);
        convert_plain(rgb, i, w, grey, false);
        for (; i + 32 <= pixels; i += 32) {
            _mm_prefetch(rgb + 3 * i + AHEAD, _MM_HINT_NTA);
            _mm_prefetch(rgb + 3 * i + AHEAD + LINE, _MM_HINT_NTA);
            _mm256_stream_si256((__m256i *)(grey + i), avx2_vector(rgb + 3 * i, &k, &last));
        }
        _mm_sfence();
    }
    for (; i + 32 <= pixels; i += 32) {
        _mm256_storeu_si256((__m256i *)(grey + i), avx2_vector(rgb + 3 * i, &k, &last));
    }
    convert_plain(rgb + 3 * i, pixels - i, w, grey + i, false);
}

/* ---- 64 pixels at a time: AVX-512 with VBMI and VNNI ----
 *
 * A permutation moves any byte of 64 to any place, so 48 consecutive bytes give 16 pixels with no
 * regard to lanes. vpdpwssd multiplies and adds pairs as _mm_madd_epi16() does, and adds the result
 * to a sum: none of the additions of the other versions is left. And vpmultishiftqb takes any 8
 * consecutive bits of 64, for each byte of its result: a shift and a pack in one. */

#define AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi,avx512vnni")))

struct avx512_constants {
    __m512i rg, b;           /* as above; where a 0 belongs, a mask says so */
    __m512i rg_last, b_last; /* of a group that begins at byte 16 of its register */
    __m512i weigh_rg, weigh_b, half;
    __m512i shifts; /* bits 15 to 22 of each 32 */
    __m512i order;  /* words 0, 4, ... 28, then 1, 5, ... */
};

/* Four times `lane`, with 0, step, 2 step and 3 step added to each of its bytes. */
AVX512 INLINE __m512i lanes(__m128i lane, int step) {
    const __m512i number =
        _mm512_setr_epi32(0, 0, 0, 0, step, step, step, step, 2 * step, 2 * step, 2 * step,
                          2 * step, 3 * step, 3 * step, 3 * step, 3 * step);
    return _mm512_add_epi8(_mm512_broadcast_i32x4(lane), number);
}

AVX512 INLINE struct avx512_constants avx512_constants(struct weights w) {
    const struct sse_constants first = sse_constants(w, 0), last = sse_constants(w, 16);
    const int group = 0x0c0c0c0c, word = 0x00010001; /* 12 in each byte; 1 in each 16 bits */
    return (struct avx512_constants){
        .rg = lanes(first.rg, group),
        .b = lanes(first.b, group),
        .rg_last = lanes(last.rg, group),
        .b_last = lanes(last.b, group),
        .weigh_rg = _mm512_set1_epi32(w.g << 16 | w.r),
        .weigh_b = _mm512_set1_epi32(w.b),
        .half = _mm512_set1_epi32(1 << 14),
        .shifts = _mm512_set1_epi16((32 + 15) << 8 | 15),
        .order = lanes(_mm_setr_epi16(0, 4, 8, 12, 16, 20, 24, 28), word),
    };
}

/* The weighted sums of 16 pixels, with the half. */
AVX512 INLINE __m512i avx512_sums(__m512i bytes, __m512i pick_rg, __m512i pick_b,
                                  const struct avx512_constants *k) {
    const __m512i rg = _mm512_maskz_permutexvar_epi8(0x5555555555555555, pick_rg, bytes);
    const __m512i b = _mm512_maskz_permutexvar_epi8(0x1111111111111111, pick_b, bytes);
    return _mm512_dpwssd_epi32(_mm512_dpwssd_epi32(k->half, rg, k->weigh_rg), b, k->weigh_b);
}

AVX512 INLINE __m512i avx512_vector(const uint8_t *rgb, const struct avx512_constants *k) {
    const __m512i low = _mm512_loadu_si512(rgb);
    const __m512i middle = _mm512_loadu_si512(rgb + 64);
    const __m512i high = _mm512_loadu_si512(rgb + 128);

    const __m512i y0 = avx512_sums(low, k->rg, k->b, k);
    const __m512i y16 = avx512_sums(_mm512_alignr_epi32(middle, low, 12), k->rg, k->b, k);
    const __m512i y32 = avx512_sums(_mm512_alignr_epi32(high, middle, 8), k->rg, k->b, k);
    const __m512i y48 = avx512_sums(high, k->rg_last, k->b_last, k);

    /* Each 8 bytes of the result: two pixels of each group */
    __m512i y = _mm512_multishift_epi64_epi8(k->shifts, y0);
    y = _mm512_mask_multishift_epi64_epi8(y, 0x0c0c0c0c0c0c0c0c, k->shifts, y16);
    y = _mm512_mask_multishift_epi64_epi8(y, 0x3030303030303030, k->shifts, y32);
    y = _mm512_mask_multishift_epi64_epi8(y, 0xc0c0c0c0c0c0c0c0, k->shifts, y48);
    return _mm512_permutexvar_epi16(k->order, y);
}

AVX512 static void convert_avx512(const uint8_t *rgb, size_t pixels, struct weights w,
                                  uint8_t *grey, bool stream) {
    const struct avx512_constants k = avx512_constants(w);
    size_t i = 0;

    if (stream) {
        i = pixels_to_line(grey, pixels);
        convert_plain(rgb, i, w, grey, false);
        for (; i + 64 <= pixels; i += 64) {
            for (int line = 0; line < 3; line++) {
                _mm_prefetch(rgb + 3 * i + AHEAD + line * LINE, _MM_HINT_NTA);
            }
            _mm512_stream_si512((__m512i *)(grey + i), avx512_vector(rgb + 3 * i, &k));
        }
        _mm_sfence();
    }
    for (; i + 64 <= pixels; i += 64) {
        _mm512_storeu_si512(grey + i, avx512_vector(rgb + 3 * i, &k));
    }
    convert_plain(rgb + 3 * i, pixels - i, w, grey + i, false);
}

/* The fastest that this processor has the instructions for. */
static convert *best(void) {
    if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vnni")) {
        return convert_avx512;
    }
    return __builtin_cpu_supports("avx2")    ? convert_avx2
           : __builtin_cpu_supports("ssse3") ? convert_ssse3
                                             : convert_plain;
}

void grey_sse(const uint8_t *rgb, int width, int height, struct weights w, uint8_t *grey) {
    share_out(convert_ssse3, rgb, width, height, w, grey);
}

void grey_avx2(const uint8_t *rgb, int width, int height, struct weights w, uint8_t *grey) {
    share_out(convert_avx2, rgb, width, height, w, grey);
}

#else /* not x86-64: parts C and D are skipped, and these are never called */

void grey_sse(const uint8_t *rgb, int width, int height, struct weights w, uint8_t *grey) {
    grey_rows(rgb, width, height, w, grey);
}

void grey_avx2(const uint8_t *rgb, int width, int height, struct weights w, uint8_t *grey) {
    grey_rows(rgb, width, height, w, grey);
}

#if defined(__aarch64__)
#include <arm_neon.h>

/* ---- 16 pixels at a time: NEON, with products of bytes ----
 *
 * A weight is 128 h + l, with l below 128 and h below 256, as a weight is below 2^15. With c the
 * bytes of a pixel, H = sum of h c and L = sum of l c both fit in 16 bits: the weights sum to 2^15,
 * so the h sum to 256 at most; the l sum to a multiple of 128 that is at most 381, so to 256 at
 * most; and 255 * 256 < 2^16. Then
 *
 *   (128 H + L + 2^14) >> 15  =  (H + (L >> 7) + 2^7) >> 8
 *
 * which is exact, because 128 H and 2^14 are multiples of 128. The right side is one instruction
 * that shifts and adds, and one that shifts with rounding and narrows. */

struct digits {
    uint8x8_t r, g, b;
};

INLINE uint16x8_t sums_of_8(uint8x8_t r, uint8x8_t g, uint8x8_t b, struct digits w) {
    return vmlal_u8(vmlal_u8(vmull_u8(r, w.r), g, w.g), b, w.b);
}

INLINE uint8x8_t grey_of_8(uint8x8_t r, uint8x8_t g, uint8x8_t b, struct digits h,
                           struct digits l) {
    return vrshrn_n_u16(vsraq_n_u16(sums_of_8(r, g, b, h), sums_of_8(r, g, b, l), 7), 8);
}

static void convert_neon(const uint8_t *rgb, size_t pixels, struct weights w, uint8_t *grey,
                         bool stream) {
    const struct digits h = {vdup_n_u8(w.r >> 7), vdup_n_u8(w.g >> 7), vdup_n_u8(w.b >> 7)};
    const struct digits l = {vdup_n_u8(w.r & 127), vdup_n_u8(w.g & 127), vdup_n_u8(w.b & 127)};
    size_t i = 0;

    for (; i + 16 <= pixels; i += 16) {
        const uint8x16x3_t c = vld3q_u8(rgb + 3 * i);
        const uint8x16_t r = c.val[0], g = c.val[1], b = c.val[2];
        const uint8x8_t y0 = grey_of_8(vget_low_u8(r), vget_low_u8(g), vget_low_u8(b), h, l);
        const uint8x8_t y8 = grey_of_8(vget_high_u8(r), vget_high_u8(g), vget_high_u8(b), h, l);
        vst1q_u8(grey + i, vcombine_u8(y0, y8));
    }
    convert_plain(rgb + 3 * i, pixels - i, w, grey + i, stream);
}

static convert *best(void) {
    return convert_neon; /* every 64-bit Arm processor has it */
}

#else

static convert *best(void) {
    return convert_plain;
}

#endif
#endif

/* From colour to grey with all that this processor has, on all cores that OpenMP may use. The rest
 * is as lab.h says for every function; the addresses need no alignment. */
void expert_grey(const uint8_t *rgb, int width, int height, struct weights w, uint8_t *grey);

void expert_grey(const uint8_t *rgb, int width, int height, struct weights w, uint8_t *grey) {
    share_out(best(), rgb, width, height, w, grey);
}

void grey_openmp(const uint8_t *rgb, int width, int height, struct weights w, uint8_t *grey) {
    expert_grey(rgb, width, height, w, grey);
}

void grey_rows(const uint8_t *rgb, int width, int height, struct weights w, uint8_t *grey) {
    expert_grey(rgb, width, height, w, grey);
}
