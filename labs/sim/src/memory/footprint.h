/* What one operation accessed, byte by byte, so that two operations that nothing orders can be
 * compared. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum footprint_access { FOOTPRINT_READ, FOOTPRINT_WRITE, FOOTPRINT_ATOMIC };

struct footprint_page;

/* All zero: nothing was accessed. */
struct footprint {
    struct footprint_page **pages; /* a hash table, its size a power of two; owned */
    size_t count, size;
    struct footprint_page *last;
};

/* When out of memory, the access is forgotten. */
void footprint_add(struct footprint *f, const void *from, size_t bytes, enum footprint_access how);
void footprint_clear(struct footprint *f);

/* The first byte that `f` accessed in the range in a way that conflicts: it wrote, or the range is
 * `written`. NULL: none. */
const void *footprint_in_range(const struct footprint *f, const void *from, size_t bytes,
                               bool written);

/* Did it write any byte of the range? */
bool footprint_writes(const struct footprint *f, const void *from, size_t bytes);

/* A byte that both accessed, at least one of them writing and not both atomically; NULL: none. */
const void *footprint_conflict(const struct footprint *f, const struct footprint *other);

/* The footprint that receives the accesses of the running kernel, or NULL. Hold the device's
 * lock. */
extern struct footprint *sim_footprint;

/* Of a kernel that may overlap the one before it in its stream: the footprints of what its threads
 * do before they have waited for that one and after it, one of which sim_footprint is. early is
 * NULL for any other kernel. */
extern struct sim_overlap {
    struct footprint *early, *late;
    bool any_waited; /* a thread has waited */
    bool let_go;     /* a block let the kernel after it begin before it had waited itself */
} sim_overlap;

/* Receives the accesses of host code in a checked program, or NULL: queue/ sets it. `pc`: of the
 * access; `synchronises`: it is volatile or atomic, as a flag's. */
extern void (*sim_host_access)(const void *address, size_t bytes, bool written, bool synchronises,
                               const void *pc);

/* The same for free(), which is about to free these bytes. */
extern void (*sim_host_frees)(const void *memory, size_t bytes, const char *file, int line);
