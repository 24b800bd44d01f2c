#include "evidence/blake2s.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { BLOCK = 64, ROUNDS = 10 };

static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                  0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

/* RFC 7693, section 2.7. */
static const unsigned char word_of[ROUNDS][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
    {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
    {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
    {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
    {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
};

static uint32_t rotated(uint32_t x, int bits) {
    return x >> bits | x << (32 - bits);
}

/* RFC 7693, section 3.1. */
static void mix(uint32_t v[16], int a, int b, int c, int d, uint32_t x, uint32_t y) {
    v[a] += v[b] + x;
    v[d] = rotated(v[d] ^ v[a], 16);
    v[c] += v[d];
    v[b] = rotated(v[b] ^ v[c], 12);
    v[a] += v[b] + y;
    v[d] = rotated(v[d] ^ v[a], 8);
    v[c] += v[d];
    v[b] = rotated(v[b] ^ v[c], 7);
}

/* Takes in the block, of which all bytes so far are `length`: section 3.2. */
static void compress(struct blake2s *b, bool last) {
    uint32_t m[16], v[16];
    for (int i = 0; i < 16; i++) {
        const unsigned char *at = b->block + 4 * i;
        m[i] = at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
    }
    for (int i = 0; i < 8; i++) {
        v[i] = b->state[i];
        v[i + 8] = start[i];
    }
    v[12] ^= (uint32_t)b->length;
    v[13] ^= (uint32_t)(b->length >> 32);
    v[14] ^= last ? UINT32_MAX : 0;
    for (int round = 0; round < ROUNDS; round++) {
        const unsigned char *s = word_of[round];
        mix(v, 0, 4, 8, 12, m[s[0]], m[s[1]]);
        mix(v, 1, 5, 9, 13, m[s[2]], m[s[3]]);
        mix(v, 2, 6, 10, 14, m[s[4]], m[s[5]]);
        mix(v, 3, 7, 11, 15, m[s[6]], m[s[7]]);
        mix(v, 0, 5, 10, 15, m[s[8]], m[s[9]]);
        mix(v, 1, 6, 11, 12, m[s[10]], m[s[11]]);
        mix(v, 2, 7, 8, 13, m[s[12]], m[s[13]]);
        mix(v, 3, 4, 9, 14, m[s[14]], m[s[15]]);
    }
    for (int i = 0; i < 8; i++) {
        b->state[i] ^= v[i] ^ v[i + 8];
    }
}

void blake2s_begin(struct blake2s *b, const unsigned char key[BLAKE2S_KEY]) {
    memset(b, 0, sizeof *b);
    for (int i = 0; i < 8; i++) {
        b->state[i] = start[i];
    }
    b->state[0] ^= UINT32_C(0x01010000) ^ (uint32_t)BLAKE2S_KEY << 8 ^ BLAKE2S_CODE;
    memcpy(b->block, key, BLAKE2S_KEY);
    b->filled = BLOCK;
}

void blake2s_add(struct blake2s *b, const void *part, size_t bytes) {
    const unsigned char *from = part;
    while (bytes > 0) {
        if (b->filled == BLOCK) { /* more follows, so it is not the last one */
            b->length += BLOCK;
            compress(b, false);
            b->filled = 0;
        }
        const size_t room = BLOCK - b->filled, taken = bytes < room ? bytes : room;
        memcpy(b->block + b->filled, from, taken);
        b->filled += taken;
        from += taken;
        bytes -= taken;
    }
}

void blake2s_end(struct blake2s *b, unsigned char code[BLAKE2S_CODE]) {
    memset(b->block + b->filled, 0, BLOCK - b->filled);
    b->length += b->filled;
    compress(b, true);
    for (int i = 0; i < BLAKE2S_CODE; i++) {
        code[i] = (unsigned char)(b->state[i / 4] >> 8 * (i % 4));
    }
}
