/* BLAKE2s (RFC 7693) with a key: the code that authenticates what a run reports. */
#pragma once

#include <stddef.h>

enum { BLAKE2S_KEY = 32, BLAKE2S_CODE = 16 }; /* bytes */

struct blake2s {
    unsigned state[8];
    unsigned long long length; /* bytes that state[] has taken in */
    unsigned char block[64];
    size_t filled; /* bytes of block */
};

/* The code of a message in parts: begin, add each part, end. Async-signal-safe. */
void blake2s_begin(struct blake2s *b, const unsigned char key[BLAKE2S_KEY]);
void blake2s_add(struct blake2s *b, const void *part, size_t bytes);
void blake2s_end(struct blake2s *b, unsigned char code[BLAKE2S_CODE]);
