/* What the checks remember of each byte of device memory: whether it was ever written, and who
 * accessed it last.
 *
 * Cells hold four bytes each; after the first access that does not cover whole aligned words they
 * hold one. Most memory thus needs one cell a word. No cell is allocated before its first
 * access. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One access. A segment is what one thread did between two points at which it could have been
 * ordered with others. Segments are numbered in the order in which they ran; 0: no access. */
struct shadow_event {
    uint32_t segment;
    uint32_t pc; /* in the program, in the bits of SHADOW_PC; flags above */
};
#define SHADOW_ATOMIC (UINT32_C(1) << 31)   /* by an atomic function */
#define SHADOW_DIFFERS (UINT32_C(1) << 30)  /* another thread has since changed what it wrote */
#define SHADOW_VOLATILE (UINT32_C(1) << 29) /* of a volatile variable: SHADOW_ATOMIC, too */
#define SHADOW_BLOCK (UINT32_C(1) << 28)    /* by an atomic function of the block's scope */
#define SHADOW_PC (SHADOW_BLOCK - 1)

/* The last accesses to one cell. `older`: the last write by another thread than that of `write`.
 * reads[0] is the last read, reads[1] the last by another thread than that, reads[2] the last by a
 * thread farther away (of another block, or of another warp). */
struct shadow_cell {
    struct shadow_event write, older, reads[3];
};

struct shadow {
    const char *base;
    size_t bytes;
    unsigned shift; /* a cell stands for 1 << shift bytes */
    struct shadow_cell *cells;
    uint64_t *written; /* a bit for each byte that was written; NULL: all were */
};

/* A shadow of memory of which no byte was written (or every one). NULL when out of memory. */
struct shadow *shadow_create(const void *base, size_t bytes, bool written);
void shadow_release(struct shadow *s);

/* The first of `*count` cells that hold the range, which must lie inside; NULL when out of
 * memory. */
struct shadow_cell *shadow_cells(struct shadow *s, const void *from, size_t bytes, size_t *count);

/* How many bytes of the range were written. */
size_t shadow_written(const struct shadow *s, const void *from, size_t bytes);
void shadow_set_written(struct shadow *s, const void *from, size_t bytes, bool written);

/* Copies what was written, byte by byte, from one shadow to another. */
void shadow_copy_written(struct shadow *to, const void *at, const struct shadow *from,
                         const void *source, size_t bytes);
