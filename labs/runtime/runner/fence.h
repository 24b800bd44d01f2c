/* Memory between two pages that no access is allowed to: one that leaves it faults. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct fence {
    unsigned char *data; /* `bytes` bytes */
    size_t bytes;
    unsigned char *mapping; /* forbidden page, open pages, forbidden page */
    size_t mapped;
};

/* New memory, uninitialised. At the end of its pages, it ends where the forbidden page begins but
 * for fewer than `alignment` bytes (a power of 2, a page at most); else it begins where the other
 * forbidden page ends. What the pages have beyond it holds a pattern. Ends the process with
 * our_fault() where there is no memory. */
struct fence fence_make(size_t bytes, size_t alignment, bool at_end);

/* Moves the beginning of memory that begins where a forbidden page ends by `by` bytes, at most
 * `bytes`, so that `bytes` is smaller by as many. What is before it then holds the pattern. */
void fence_begin_later(struct fence *fence, size_t by);

/* New memory at the end of its pages with a copy of `data`, aligned to 4 bytes. */
struct fence fence_copy(const void *data, size_t bytes);

/* Was the pattern written to before the data, or after it? */
bool fence_broken_before(const struct fence *fence);
bool fence_broken_after(const struct fence *fence);

/* From now on a write to it faults. */
void fence_make_read_only(const struct fence *fence);

/* From now on any access faults; the memory is given back. Safe to call for a fence of zeros. */
void fence_remove(struct fence *fence);
