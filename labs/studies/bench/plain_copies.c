/* Copies with non-temporal stores: as many bytes are read as written. memcpy() uses them only above
 * a size that depends on the processor.
 *
 * Both addresses are multiples of 64. Bytes beyond the last 256 are left out. */
#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

void plain_avx2_streamed(const uint8_t *from, size_t bytes, uint8_t *to);
void plain_avx512_streamed(const uint8_t *from, size_t bytes, uint8_t *to);

enum { AT_ONCE = 256 };

__attribute__((target("avx2"))) void plain_avx2_streamed(const uint8_t *from, size_t bytes,
                                                         uint8_t *to) {
    for (size_t i = 0; i + AT_ONCE <= bytes; i += AT_ONCE)
        for (size_t j = i; j < i + AT_ONCE; j += sizeof(__m256i))
            _mm256_stream_si256((__m256i *)(to + j),
                                _mm256_load_si256((const __m256i *)(from + j)));
    _mm_sfence();
}

__attribute__((target("avx512f"))) void plain_avx512_streamed(const uint8_t *from, size_t bytes,
                                                              uint8_t *to) {
    for (size_t i = 0; i + AT_ONCE <= bytes; i += AT_ONCE)
        for (size_t j = i; j < i + AT_ONCE; j += sizeof(__m512i))
            _mm512_stream_si512((__m512i *)(to + j),
                                _mm512_load_si512((const __m512i *)(from + j)));
    _mm_sfence();
}
