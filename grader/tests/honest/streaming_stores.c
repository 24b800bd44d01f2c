/* An honest file: stores past the caches, of chosen lanes, and others that gcc does not report. */
#if defined(__x86_64__)
#include <immintrin.h>
__attribute__((target("avx2"))) void copy_row(float *to, const float *from, int width);
__attribute__((target("avx2"))) void copy_row(float *to, const float *from, int width) {
    int x = 0;
    for (; x + 8 <= width && ((unsigned long)(to + x) & 31) == 0; x += 8) {
        _mm_prefetch((const char *)(from + x + 64), _MM_HINT_NTA);
        _mm256_stream_ps(to + x, _mm256_loadu_ps(from + x));
    }
    for (; x < width; x += 8) {
        const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
        const __m256i left = _mm256_cmpgt_epi32(_mm256_set1_epi32(width - x), lane);
        _mm256_maskstore_ps(to + x, left, _mm256_maskload_ps(from + x, left));
    }
    _mm_sfence();
}
__attribute__((target("avx2"))) void look_up(int *to, const int *table, const int *at);
__attribute__((target("avx2"))) void look_up(int *to, const int *table, const int *at) {
    const __m256i index = _mm256_loadu_si256((const __m256i *)at);
    const __m256i found = _mm256_i32gather_epi32(table, index, 4);
    _mm_stream_si32(to, _mm256_extract_epi32(found, 7));
    _mm_storeh_pi((__m64 *)(to + 2), _mm_castsi128_ps(_mm256_castsi256_si128(found)));
}
#endif
struct row {
    long double sum;
    unsigned first : 3, second : 9;
    char name[40];
};
struct row next(struct row before, int n);
struct row next(struct row before, int n) {
    char text[n + 1];
    struct row after = before;
    __builtin_memset(text, 0, (unsigned long)n + 1);
    __builtin_memcpy(after.name, before.name, sizeof after.name);
    after.second = (unsigned)text[n] + before.first;
    after.sum = before.sum * 1.5L + __atomic_add_fetch(&n, 1, __ATOMIC_SEQ_CST);
    return after;
}
