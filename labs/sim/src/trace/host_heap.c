/* malloc() and its relatives as host code of a traced program calls them: sim_heap.h gives them
 * these names. In a checked program they remember who has allocated what, so that memory which is
 * never freed, or freed while pending work uses it, is found. */
#include "base/errors.h"
#include "base/options.h"
#include "exec/thread.h"
#include "memory/footprint.h"

#include <pthread.h>
#include <stdlib.h>

#define MOST_SITES 64 /* calls of malloc() that are reported */

struct block {
    void *memory; /* NULL: the place is free */
    size_t bytes;
    const char *pc; /* of the call */
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

static void *remember(void *memory, size_t bytes, const void *return_address) {
    const bool in_kernel = sim_worker && sim_worker->config;
    if (memory && sim_checked && !in_kernel) {
        pthread_mutex_lock(&lock);
        if (2 * count < size || grow()) {
            struct block *b = &blocks[place_of(memory)];
            count += b->memory == NULL;
            *b = (struct block){memory, bytes, (const char *)return_address - 1};
        }
        pthread_mutex_unlock(&lock);
    }
    return memory;
}

/* Removes the block, and moves those that its place kept away from theirs. */
static struct block forget(const void *memory) {
    struct block known = {NULL, 0, NULL};
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

void *sim_host_malloc(size_t bytes);
void *sim_host_malloc(size_t bytes) {
    return remember(malloc(bytes), bytes, __builtin_return_address(0));
}

void *sim_host_calloc(size_t number, size_t bytes);
void *sim_host_calloc(size_t number, size_t bytes) {
    return remember(calloc(number, bytes), number * bytes, __builtin_return_address(0));
}

void sim_host_free(void *memory);
void sim_host_free(void *memory) {
    size_t bytes = sim_checked ? forget(memory).bytes : 0;
    if (bytes > 0 && sim_host_frees) {
        sim_host_frees(memory, bytes, (const char *)__builtin_return_address(0) - 1);
    }
    free(memory);
}

void *sim_host_realloc(void *memory, size_t bytes);
void *sim_host_realloc(void *memory, size_t bytes) {
    const void *pc = __builtin_return_address(0);
    const struct block before = sim_checked ? forget(memory) : (struct block){NULL, 0, NULL};
    void *moved = realloc(memory, bytes);
    if (!moved && bytes > 0 && before.memory) {
        remember(before.memory, before.bytes, before.pc + 1); /* it is still there */
    }
    return remember(moved, bytes, pc);
}

/* One finding for each call that allocated. */
__attribute__((destructor)) static void report_leaks(void) {
    const char *reported[MOST_SITES];
    unsigned sites = 0;
    for (size_t i = 0; i < size && sites < MOST_SITES && sim_sticky() == cudaSuccess; i++) {
        unsigned known = 0;
        while (known < sites && reported[known] != blocks[i].pc) {
            known++;
        }
        if (!blocks[i].memory || known < sites) {
            continue;
        }
        reported[sites++] = blocks[i].pc;
        size_t bytes = 0, number = 0;
        for (size_t k = 0; k < size; k++) {
            bool same = blocks[k].memory && blocks[k].pc == blocks[i].pc;
            bytes += same ? blocks[k].bytes : 0;
            number += same;
        }
        struct sim_finding finding = {.kind = "leak", .pc = blocks[i].pc};
        sim_report(&finding,
                   "%zu bytes of host memory allocated here were never freed (%zu call%s): call "
                   "free()",
                   bytes, number, number == 1 ? "" : "s");
    }
}
