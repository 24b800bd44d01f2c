/* An honest file: sse and avx. */
#if defined(__x86_64__)
#include <immintrin.h>
__attribute__((target("avx2,fma"))) void blur8(float *out, const float *in);
__attribute__((target("avx2,fma"))) void blur8(float *out, const float *in) {
    __m256 sum = _mm256_fmadd_ps(_mm256_loadu_ps(in), _mm256_set1_ps(0.5f), _mm256_setzero_ps());
    _mm256_storeu_ps(out, _mm256_permute2f128_ps(sum, sum, 1));
}
__attribute__((target("ssse3"))) void shuffle16(unsigned char *out, const unsigned char *in);
__attribute__((target("ssse3"))) void shuffle16(unsigned char *out, const unsigned char *in) {
    const __m128i order = _mm_setr_epi8(0, 3, 6, 9, 12, 15, 1, 4, 7, 10, 13, 2, 5, 8, 11, 14);
    _mm_storeu_si128((__m128i *)out, _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)in), order));
    _mm_prefetch((const char *)in + 64, _MM_HINT_T0);
}
#endif
int has_avx2(void);
int has_avx2(void) {
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2");
#else
    return 0;
#endif
}
