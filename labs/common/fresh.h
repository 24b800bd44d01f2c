/* Inputs for timed calls that nobody has seen before, and sums by which a row of an output is known
 * again. grader/timing/noise.py computes the same bits; labs/common/bench.h says what both are for.
 *
 * One function makes both: the integer hash "lowbias32" of Chris Wellons's hash-prospector, into
 * which a key is mixed half-way. It is no cipher; it has to cost little beside what is timed, and
 * to leave nothing that one input has in common with another.
 */
#ifndef CONVLABS_FRESH_H
#define CONVLABS_FRESH_H

#include <stddef.h>
#include <stdint.h>

#ifdef __CUDACC__
#define FRESH_ANYWHERE __host__ __device__
#else
#define FRESH_ANYWHERE
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Elements of an input: any byte; floats in [0, 1) of 24 random bits; doubles there, of 32. */
enum fresh_kind { FRESH_BYTES, FRESH_FLOATS, FRESH_DOUBLES };

static inline FRESH_ANYWHERE uint32_t fresh_mix(uint32_t index, uint32_t key) {
    uint32_t x = index;
    x ^= x >> 16;
    x *= 0x7feb352du;
    x += key;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    x ^= x >> 16;
    return x;
}

/* Element `index` of the input with that key. Of bytes: a word of four, the lowest first. The bits
 * fit into a signed integer, which vector units convert faster. */
static inline FRESH_ANYWHERE float fresh_float(uint32_t index, uint32_t key) {
    return (float)(int32_t)(fresh_mix(index, key) >> 8) * 0x1p-24f;
}
static inline FRESH_ANYWHERE double fresh_double(uint32_t index, uint32_t key) {
    return (double)fresh_mix(index, key) * 0x1p-32;
}

/* What word `index` of a row adds to the row's sum, modulo 2^32. */
static inline FRESH_ANYWHERE uint32_t fresh_share(uint32_t index, uint32_t word) {
    return fresh_mix(index, word);
}

/* Writes the input with that key: `count` elements, fewer than 2^32. */
void fresh_fill(enum fresh_kind kind, uint32_t key, size_t count, void *to);

/* The sums of `rows` rows of `words` 32-bit words each, one after the other. */
void fresh_sums(const void *data, size_t rows, size_t words, uint32_t *sums);

#ifdef __cplusplus
}
#endif

#endif
