/* New inputs for timed calls, and sums that identify the rows of an output.
 * grader/timing/timed_inputs.py computes the same bits; bench.h says what both are for.
 *
 * One function makes both: the integer hash "lowbias32" of Chris Wellons's hash-prospector, with a
 * key mixed in half-way. It is no cipher: it must cost little beside what is timed, and two inputs
 * must have nothing in common.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __CUDACC__
#define NOISE_ANYWHERE __host__ __device__
#else
#define NOISE_ANYWHERE
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Elements of an input: any byte; floats in [0, 1) with 24 random bits; doubles in [0, 1) with 32.
 */
enum noise_kind { NOISE_BYTES, NOISE_FLOATS, NOISE_DOUBLES };

static inline NOISE_ANYWHERE uint32_t noise_mix(uint32_t index, uint32_t key) {
    uint32_t x = index;
    x ^= x >> 16;
    x *= 0x7feb352du;
    x += key;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    x ^= x >> 16;
    return x;
}

/* Element `index` of the input with that key. For bytes noise_mix() is a word of four, the lowest
 * first. The 24 bits of a float go through a signed integer, which vector units convert faster. */
static inline NOISE_ANYWHERE float noise_float(uint32_t index, uint32_t key) {
    return (float)(int32_t)(noise_mix(index, key) >> 8) * 0x1p-24f;
}
static inline NOISE_ANYWHERE double noise_double(uint32_t index, uint32_t key) {
    return (double)noise_mix(index, key) * 0x1p-32;
}

/* What word `index` of a row adds to the row's sum, modulo 2^32. */
static inline NOISE_ANYWHERE uint32_t noise_row_share(uint32_t index, uint32_t word) {
    return noise_mix(index, word);
}

/* Writes the input with that key: `count` elements, fewer than 2^32. */
void noise_fill(enum noise_kind kind, uint32_t key, size_t count, void *to);

/* The sums of `rows` rows of `words` 32-bit words each, one after the other. */
void noise_row_sums(const void *data, size_t rows, size_t words, uint32_t *sums);

#ifdef __cplusplus
}
#endif
