/* In which pieces the device copies an object that g++ reports as so many bytes: a structure, or a
 * packed field. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { MOST_PIECE = 16 };

/* The bytes of a piece. Where structures of this size differ in alignment, nothing says which
 * one it is, and the least counts. most: if no structure has this size. */
unsigned piece_of(const void *address, size_t size, unsigned most, bool in_shared);
