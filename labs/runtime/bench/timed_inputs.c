/* Compiled for this machine's vector units: see the Makefile. */
#include "timed_inputs.h"

#include <string.h>

static void fill_bytes(uint32_t key, size_t count, unsigned char *to) {
    const size_t whole = count / 4 * 4;
    for (size_t i = 0; i < whole; i += 4) {
        const uint32_t word = noise_mix((uint32_t)(i / 4), key);
        memcpy(to + i, &word, sizeof word);
    }
    const uint32_t last = noise_mix((uint32_t)(whole / 4), key);
    memcpy(to + whole, &last, count - whole);
}

void noise_fill(enum noise_kind kind, uint32_t key, size_t count, void *to) {
    float *const floats = to;
    double *const doubles = to;
    switch (kind) {
    case NOISE_BYTES:
        fill_bytes(key, count, to);
        break;
    case NOISE_FLOATS:
        for (size_t i = 0; i < count; i++)
            floats[i] = noise_float((uint32_t)i, key);
        break;
    case NOISE_DOUBLES:
        for (size_t i = 0; i < count; i++)
            doubles[i] = noise_double((uint32_t)i, key);
        break;
    }
}

void noise_row_sums(const void *data, size_t rows, size_t words, uint32_t *sums) {
    const unsigned char *row = data;
    for (size_t y = 0; y < rows; y++, row += 4 * words) {
        uint32_t sum = 0;
        for (size_t i = 0; i < words; i++) {
            uint32_t word;
            memcpy(&word, row + 4 * i, sizeof word);
            sum += noise_row_share((uint32_t)i, word);
        }
        sums[y] = sum;
    }
}
