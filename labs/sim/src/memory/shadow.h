/* What the checks remember of each byte of device memory: whether it was ever written, and who
 * accessed it last.
 *
 * Cells stand for four bytes each; after the first access that does not cover whole aligned words
 * they stand for one. No cell is allocated before its first access.
 *
 * What a cell holds is 40 bytes, but most cells of an array hold the same, seen from the last
 * access: "read by the thread that ran, and by the one before it". So a cell keeps when its last
 * access was, and the number of such a form. Where accesses follow no order there are as many forms
 * as cells, and then the cells themselves are kept. */
#pragma once

#include "base/options.h"

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

/* A cell as the segment of its last access and its form: shadow_forms[form], where the segment of
 * an event is how many segments it was before the last access, plus 1. Form 0: no access. */
struct shadow_packed {
    uint32_t latest, form;
};
extern struct shadow_cell *shadow_forms SIM_HIDDEN;

struct shadow {
    const char *base;
    size_t bytes;
    unsigned shift;               /* a cell stands for 1 << shift bytes */
    unsigned forms;               /* that its cells were the first to have in this launch, */
    unsigned launch;              /* the number of which this is, */
    uint32_t last;                /* and the last form that was set in it; 0: none */
    struct shadow_packed *packed; /* NULL: there are too many forms, */
    struct shadow_cell *cells;    /* and these are kept */
    uint64_t *written;            /* a bit for each byte that was written; NULL: all were */
};

/* A shadow of memory of which no byte was written (or every one). NULL when out of memory. */
struct shadow *shadow_create(const void *base, size_t bytes, bool written);
void shadow_release(struct shadow *s);

/* The range, which must lie inside, is in `*count` cells from `*first` on. False when out of
 * memory. */
bool shadow_cells(struct shadow *s, const void *from, size_t bytes, size_t *first, size_t *count);

/* What a cell holds, nothing if its last access was in a segment before `oldest`: the cell itself,
 * or a copy. After a change it must be set, which may replace packed cells by the others. */
struct shadow_cell *shadow_cell(const struct shadow *s, size_t i, uint32_t oldest,
                                struct shadow_cell *copy);
void shadow_set_cell(struct shadow *s, size_t i, uint32_t oldest, const struct shadow_cell *cell);

/* A launch begins: all packed cells are older, and their forms are forgotten. */
void shadow_forget_forms(void);

/* How many bytes of the range were written. */
size_t shadow_written(const struct shadow *s, const void *from, size_t bytes);
void shadow_set_written(struct shadow *s, const void *from, size_t bytes, bool written);

/* Copies what was written, byte by byte, from one shadow to another. */
void shadow_copy_written(struct shadow *to, const void *at, const struct shadow *from,
                         const void *source, size_t bytes);
