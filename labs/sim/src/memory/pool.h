/* Pools of memory in the order of a stream: how much of each is used. The memory itself is that of
 * allocations.h. Not locked: hold the device's lock. */
#pragma once

#include "base/findings.h"

struct sim_pool {
    uint64_t threshold;     /* bytes that it keeps when the device is idle */
    int reuse[3];           /* cudaMemPoolReuse...: stored only */
    size_t most;            /* its size; 0: the device's */
    size_t used, used_most; /* bytes of live allocations; the most since the program reset it */
    size_t kept, kept_most; /* bytes that it has of the device */
    bool destroyed;         /* kept while allocations live */
    struct sim_location location;
    struct sim_pool *next;
};

/* The device's own pool, which cannot be destroyed, and the one that cudaMallocAsync() uses. */
extern struct sim_pool sim_default_pool;
extern struct sim_pool *sim_current_pool;

/* location: of the program's call. NULL: out of memory. */
struct sim_pool *sim_pool_create(size_t most, struct sim_location location);
bool sim_is_pool(const struct sim_pool *pool); /* that exists and is not destroyed */

/* Its allocations stay valid. */
void sim_pool_destroy(struct sim_pool *pool);

/* The device is reset: its pools are gone. */
void sim_pools_forget(void);

/* False: the pool is too small. */
bool sim_pool_take(struct sim_pool *pool, size_t bytes);
void sim_pool_give_back(struct sim_pool *pool, size_t bytes);

/* Returns to the device what is not used, down to `least` bytes. */
void sim_pool_trim(struct sim_pool *pool, size_t least);
