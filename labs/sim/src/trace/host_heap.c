/* malloc() and its relatives, and `new` of arrays, as host code of a traced program calls them:
 * sim/host_heap.h gives them these names. In a checked program they remember who has allocated
 * what, so that memory which is never freed, or freed while pending work uses it, is found. */
#include "trace/host_heap.h"

#include "base/at_end.h"
#include "base/code.h"
#include "base/errors.h"
#include "base/options.h"
#include "exec/thread.h"
#include "memory/footprint.h"

#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>

#define MOST_SITES 64      /* calls of malloc() that are reported */
#define MOST_SEARCHED 4096 /* blocks, for one that holds an address */

struct block {
    void *memory; /* NULL: the place is free */
    size_t bytes;
    const char *pc; /* of the call, or else: */
    struct sim_location location;
    bool array;    /* by `new T[n]` */
    bool is_quiet; /* by `new T`, as in a std::vector: no leak of it is reported */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct block *blocks; /* a hash table, its size a power of two */
static size_t count, size;

static size_t place_of(const void *memory) {
    size_t at = (size_t)((uintptr_t)memory / 16 * UINT64_C(0x9e3779b97f4a7c15) >> 16) & (size - 1);
    while (blocks[at].memory && blocks[at].memory != memory) {
        at = (at + 1) & (size - 1);
    }
    return at;
}

static bool grow(void) {
    struct block *old = blocks, *larger = calloc(size ? 2 * size : 256, sizeof *larger);
    size_t old_size = size;
    if (!larger) {
        return false;
    }
    blocks = larger;
    size = size ? 2 * size : 256;
    for (size_t i = 0; i < old_size; i++) {
        if (old[i].memory) {
            blocks[place_of(old[i].memory)] = old[i];
        }
    }
    free(old);
    return true;
}

static void *remember(struct block block) {
    const bool in_kernel = sim_worker && sim_worker->block.config;
    if (block.memory && sim_checked && !in_kernel) {
        pthread_mutex_lock(&lock);
        if (2 * count < size || grow()) {
            struct block *b = &blocks[place_of(block.memory)];
            count += b->memory == NULL;
            *b = block;
        }
        pthread_mutex_unlock(&lock);
    }
    return block.memory;
}

/* Removes the block, and moves those that its place kept away from theirs. */
static struct block forget(const void *memory) {
    struct block known = {.memory = NULL};
    pthread_mutex_lock(&lock);
    size_t at = memory && size ? place_of(memory) : 0;
    if (memory && size && blocks[at].memory) {
        known = blocks[at];
        blocks[at].memory = NULL;
        count--;
        for (at = (at + 1) & (size - 1); blocks[at].memory; at = (at + 1) & (size - 1)) {
            struct block moved = blocks[at];
            blocks[at].memory = NULL;
            blocks[place_of(moved.memory)] = moved;
        }
    }
    pthread_mutex_unlock(&lock);
    return known;
}

void host_heap_allocated(void *memory, size_t bytes, const void *return_address,
                         struct sim_location location) {
    const char *pc = return_address;
    const bool is_array = location.file == NULL && sim_is_code(pc);
    remember((struct block){memory, bytes, is_array ? pc - 1 : NULL, location, is_array,
                            location.file == NULL && !is_array});
}

/* Has a library freed the memory, or made it larger? It is then another block of the C library. */
static bool is_stale(const struct block *b) {
    const size_t rounded = b->bytes < (size_t)1 << 17 ? 32 : 4200; /* to a page, if it is large */
    return malloc_usable_size(b->memory) > b->bytes + rounded;
}

size_t host_heap_room(const void *at) {
    const char *address = at;
    size_t room = SIZE_MAX;
    pthread_mutex_lock(&lock);
    const struct block *known = size ? &blocks[place_of(at)] : NULL;
    for (size_t i = 0; known && !known->memory && count <= MOST_SEARCHED && i < size; i++) {
        const char *from = blocks[i].memory;
        known = from && address >= from && address < from + blocks[i].bytes ? &blocks[i] : known;
    }
    if (known && known->memory && !is_stale(known)) {
        room = known->bytes - (size_t)(address - (const char *)known->memory);
    }
    pthread_mutex_unlock(&lock);
    return room;
}

void host_heap_frees(void *memory, struct sim_location location) {
    const struct block known = sim_checked ? forget(memory) : (struct block){.bytes = 0};
    if (known.bytes > 0 && !known.is_quiet && sim_host_frees) {
        sim_host_frees(memory, known.bytes, location.file, location.line);
    }
}

/* calloc() and realloc() as host code of a traced program calls them, and malloc() and free() where
 * it calls them by their address: sim/host_heap.h gives them these names. */
static struct block here(void *memory, size_t bytes, const void *return_address) {
    return (struct block){.memory = memory, .bytes = bytes, .pc = (const char *)return_address - 1};
}

void *sim_host_calloc(size_t number, size_t bytes);
void *sim_host_calloc(size_t number, size_t bytes) {
    return remember(here(calloc(number, bytes), number * bytes, __builtin_return_address(0)));
}

void *sim_host_malloc(size_t bytes);
void *sim_host_malloc(size_t bytes) {
    return remember(here(malloc(bytes), bytes, __builtin_return_address(0)));
}

void sim_host_free(void *memory);
void sim_host_free(void *memory) {
    host_heap_frees(memory, (struct sim_location){NULL, 0});
    free(memory);
}

void *sim_host_realloc(void *memory, size_t bytes);
void *sim_host_realloc(void *memory, size_t bytes) {
    const void *pc = __builtin_return_address(0);
    const struct block before = sim_checked ? forget(memory) : here(NULL, 0, pc);
    void *moved = realloc(memory, bytes);
    if (!moved && bytes > 0) {
        remember(before); /* it is still there */
    }
    return remember(here(moved, bytes, pc));
}

static bool same_call(const struct block *a, const struct block *b) {
    return a->memory && b->memory && a->pc == b->pc && a->location.line == b->location.line &&
           a->location.file == b->location.file;
}

/* One finding for each call that allocated. */
static void report_leaks(void) {
    const struct block *reported[MOST_SITES];
    unsigned sites = 0;
    for (size_t i = 0; i < size && sites < MOST_SITES && sim_sticky() == cudaSuccess; i++) {
        unsigned known = 0;
        while (known < sites && !same_call(reported[known], &blocks[i])) {
            known++;
        }
        if (!blocks[i].memory || blocks[i].is_quiet || known < sites) {
            continue;
        }
        reported[sites++] = &blocks[i];
        size_t bytes = 0, number = 0;
        for (size_t k = i; k < size; k++) {
            bool same = same_call(&blocks[i], &blocks[k]);
            bytes += same ? blocks[k].bytes : 0;
            number += same;
        }
        sim_report(&(struct sim_finding){.found = FOUND_LEAK_OF_HOST,
                                         .pc = blocks[i].pc,
                                         .location = blocks[i].location,
                                         .bytes = bytes,
                                         .number = (long long)number,
                                         .cause = blocks[i].array ? "new-array" : NULL});
    }
}
SIM_AT_END(report_leaks);
