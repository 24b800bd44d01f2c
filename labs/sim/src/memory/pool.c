#include "memory/pool.h"

#include "base/at_end.h"
#include "base/errors.h"

#include <stdlib.h>

#define CHUNK ((size_t)32 << 20) /* what a pool asks of the device at a time */

struct sim_pool sim_default_pool = {.reuse = {1, 1, 1}};
struct sim_pool *sim_current_pool = &sim_default_pool;
static struct sim_pool *pools;

struct sim_pool *sim_pool_create(size_t most, struct sim_location location) {
    struct sim_pool *pool = calloc(1, sizeof *pool);
    if (pool) {
        *pool = (struct sim_pool){
            .reuse = {1, 1, 1}, .most = most, .location = location, .next = pools};
        pools = pool;
    }
    return pool;
}

bool sim_is_pool(const struct sim_pool *pool) {
    const struct sim_pool *p = pools;
    while (p && p != pool) {
        p = p->next;
    }
    return pool == &sim_default_pool || (p && !p->destroyed);
}

static void remove_if_unused(struct sim_pool *pool) {
    if (!pool->destroyed || pool->used > 0) {
        return;
    }
    struct sim_pool **at = &pools;
    while (*at != pool) {
        at = &(*at)->next;
    }
    *at = pool->next;
    free(pool);
}

void sim_pool_destroy(struct sim_pool *pool) {
    if (sim_current_pool == pool) {
        sim_current_pool = &sim_default_pool;
    }
    pool->destroyed = true;
    remove_if_unused(pool);
}

static size_t in_chunks(size_t bytes) {
    return (bytes + CHUNK - 1) / CHUNK * CHUNK;
}

bool sim_pool_take(struct sim_pool *pool, size_t bytes) {
    if (pool->most > 0 && bytes > pool->most - pool->used) {
        return false;
    }
    pool->used += bytes;
    pool->used_most = pool->used > pool->used_most ? pool->used : pool->used_most;
    size_t needed = in_chunks(pool->used);
    pool->kept = needed > pool->kept ? needed : pool->kept;
    pool->kept_most = pool->kept > pool->kept_most ? pool->kept : pool->kept_most;
    return true;
}

void sim_pool_give_back(struct sim_pool *pool, size_t bytes) {
    pool->used -= bytes;
    remove_if_unused(pool);
}

void sim_pool_trim(struct sim_pool *pool, size_t least) {
    size_t needed = in_chunks(pool->used > least ? pool->used : least);
    pool->kept = pool->kept < needed ? pool->kept : needed;
}

void sim_pools_forget(void) {
    for (struct sim_pool *pool = pools; pool; pool = pool->next) {
        pool->destroyed = true;
    }
}

static void report_leaks(void) {
    for (const struct sim_pool *pool = pools; pool; pool = pool->next) {
        if (!pool->destroyed) {
            sim_report_leak(FOUND_LEAK_OF_POOL, pool->location);
        }
    }
}
SIM_AT_END(report_leaks);
