/* Each allocation has a mapping of its own:
 *
 *     guard page | ... poison ... | base: the bytes | fewer than 256 of poison | guard page
 *
 * so that an access more than 255 bytes past the end faults, and a write closer than that is found
 * when the kernel is over. The base is 256-byte aligned, as on the device. */
#include "memory/allocations.h"

#include "base/errors.h"
#include "base/options.h"
#include "memory/pool.h"
#include "memory/variables.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE ((size_t)4096)
#define ALIGNMENT ((size_t)256)

/* Freed allocations stay mapped without access, up to this many and this much address space. */
#define QUARANTINE_BYTES ((size_t)1 << 34)
#define QUARANTINE_COUNT 4096

size_t sim_guard = PAGE;

static struct sim_allocation *allocations; /* the newest first */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void sim_lock_device(void) {
    pthread_mutex_lock(&lock);
}

void sim_unlock_device(void) {
    pthread_mutex_unlock(&lock);
}

static size_t round_up(size_t n, size_t to) {
    return (n + to - 1) / to * to;
}

static void protect(const struct sim_allocation *a, int protection) {
    mprotect(a->mapping + sim_guard, a->mapped - 2 * sim_guard, protection);
}

static bool is_live_on_device(const struct sim_allocation *a) {
    return !a->freed && (a->space == SIM_DEVICE_MEMORY || a->space == SIM_HEAP_MEMORY);
}

void *sim_allocate(size_t bytes, enum sim_space space, unsigned flags,
                   struct sim_location location) {
    if (bytes > SIM_GLOBAL_BYTES) {
        return NULL;
    }
    size_t used = round_up(bytes, ALIGNMENT);
    size_t mapped = round_up(used, PAGE) + 2 * sim_guard;
    struct sim_allocation *a = calloc(1, sizeof *a);
    char *mapping = mmap(NULL, mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (!a || mapping == MAP_FAILED ||
        mprotect(mapping + sim_guard, mapped - 2 * sim_guard, PROT_READ | PROT_WRITE) != 0) {
        if (mapping != MAP_FAILED) {
            munmap(mapping, mapped);
        }
        free(a);
        return NULL;
    }
    memset(mapping + sim_guard, SIM_POISON, mapped - 2 * sim_guard);
    *a = (struct sim_allocation){.base = mapping + mapped - sim_guard - used,
                                 .bytes = bytes,
                                 .mapping = mapping,
                                 .mapped = mapped,
                                 .space = space,
                                 .flags = flags,
                                 .location = location,
                                 .next = allocations};
    if (space == SIM_DEVICE_MEMORY) {
        protect(a, PROT_NONE);
    }
    allocations = a;
    return a->base;
}

bool sim_register(void *base, size_t bytes, unsigned flags, struct sim_location location) {
    char *from = base;
    for (const struct sim_allocation *a = allocations; a; a = a->next) {
        if (!a->freed && from < a->base + a->bytes && a->base < from + bytes) {
            return false;
        }
    }
    struct sim_allocation *a = calloc(1, sizeof *a);
    if (a) {
        *a = (struct sim_allocation){.base = from,
                                     .bytes = bytes,
                                     .mapping = from,
                                     .mapped = bytes,
                                     .space = SIM_REGISTERED_MEMORY,
                                     .flags = flags,
                                     .location = location,
                                     .next = allocations};
        allocations = a;
    }
    return a != NULL;
}

struct sim_allocation *sim_allocation_at(const void *pointer, enum sim_space space) {
    for (struct sim_allocation *a = allocations; a; a = a->next) {
        if (!a->freed && a->base == pointer && a->space == space) {
            return a;
        }
    }
    return NULL;
}

const struct sim_allocation *sim_owner(const void *address) {
    const char *at = address;
    for (const struct sim_allocation *a = allocations; a; a = a->next) {
        if (at >= a->mapping && at < a->mapping + a->mapped) {
            return a;
        }
    }
    return NULL;
}

const char *sim_device_end(const void *address) {
    const char *at = address;
    for (const struct sim_allocation *a = allocations; a; a = a->next) {
        bool is_device = is_live_on_device(a) && a->space != SIM_HEAP_MEMORY;
        if (is_device && at >= a->base && at < a->base + a->bytes) {
            return a->base + a->bytes;
        }
    }
    return sim_is_managed(address) ? NULL : sim_variables_end(address);
}

/* Unmaps the allocations that were freed first, once there are too many. */
static void shorten_quarantine(void) {
    size_t bytes = 0, count = 0;
    for (struct sim_allocation **at = &allocations; *at;) {
        struct sim_allocation *a = *at;
        if (a->freed) {
            bytes += a->mapped;
            count++;
        }
        if (a->freed && (bytes > QUARANTINE_BYTES || count > QUARANTINE_COUNT)) {
            *at = a->next;
            munmap(a->mapping, a->mapped);
            free(a);
        } else {
            at = &a->next;
        }
    }
}

static void forget(struct sim_allocation *allocation) {
    struct sim_allocation **at = &allocations;
    while (*at != allocation) {
        at = &(*at)->next;
    }
    *at = allocation->next;
    free(allocation);
}

void sim_release(struct sim_allocation *a) {
    if (a->space == SIM_REGISTERED_MEMORY) {
        forget(a); /* the program owns the memory */
        return;
    }
    a->freed = true;
    if (a->pool) {
        sim_pool_give_back(a->pool, a->bytes);
    }
    shadow_release(a->shadow);
    a->shadow = NULL;
    /* A new mapping in its place returns the memory and keeps the addresses reserved. */
    mmap(a->mapping, a->mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    shorten_quarantine();
}

void sim_release_device(void) {
    for (struct sim_allocation *a = allocations, *next; a; a = next) {
        next = a->next;
        if (!a->freed) {
            sim_release(a);
        }
    }
}

size_t sim_device_bytes(void) {
    size_t bytes = 0;
    for (const struct sim_allocation *a = allocations; a; a = a->next) {
        bool managed = !a->freed && a->space == SIM_MANAGED_MEMORY;
        bytes += managed || is_live_on_device(a) ? a->bytes : 0;
    }
    return bytes;
}

void sim_open_device(void) {
    for (const struct sim_allocation *a = allocations; a; a = a->next) {
        if (is_live_on_device(a)) {
            protect(a, PROT_READ | PROT_WRITE);
        }
    }
}

/* The first byte of from..to that is no longer poison, or NULL. */
static char *written(char *from, char *to) {
    while (from < to && (unsigned char)*from == SIM_POISON) {
        from++;
    }
    return from < to ? from : NULL;
}

void sim_describe_allocation(const struct sim_allocation *a, char *text, size_t size) {
    if (a->name) {
        snprintf(text, size, "%s (%zu bytes)", a->name, a->bytes);
    } else {
        snprintf(text, size, "the array of %zu bytes allocated at %s:%d", a->bytes,
                 a->location.file ? a->location.file : "?", a->location.line);
    }
}

/* Reports changed poison around an allocation, and restores it. */
static void check_surroundings(const struct sim_allocation *a, const char *kernel,
                               struct sim_location location) {
    struct sim_finding finding = {.kind = "out-of-bounds", .kernel = kernel, .location = location};
    char array[160];
    sim_describe_allocation(a, array, sizeof array);
    char *after = a->base + a->bytes, *end = a->mapping + a->mapped - sim_guard;
    char *before = a->base - a->mapping > (ptrdiff_t)(sim_guard + ALIGNMENT)
                       ? a->base - ALIGNMENT
                       : a->mapping + sim_guard;
    char *bad = written(after, end);
    if (bad) {
        sim_report(&finding,
                   "kernel %s wrote past the end of %s: it changed the byte at index %td", kernel,
                   array, bad - a->base);
        memset(after, SIM_POISON, (size_t)(end - after));
    }
    bad = written(before, a->base);
    if (bad) {
        sim_report(&finding,
                   "kernel %s wrote before the start of %s: it changed the byte at index %td",
                   kernel, array, bad - a->base);
        memset(before, SIM_POISON, (size_t)(a->base - before));
    }
}

void sim_close_device(const char *kernel, struct sim_location location) {
    for (const struct sim_allocation *a = allocations; a; a = a->next) {
        if (is_live_on_device(a)) {
            if (!sim_checked) {
                check_surroundings(a, kernel, location);
            }
            protect(a, PROT_NONE);
        }
    }
}

static void protect_range(const void *from, size_t bytes, int protection) {
    const struct sim_allocation *a = sim_owner(from);
    if (a && is_live_on_device(a)) {
        uintptr_t first = (uintptr_t)from / PAGE * PAGE;
        mprotect((void *)first, round_up((uintptr_t)from + bytes - first, PAGE), protection);
    }
}

void sim_open_range(const void *from, size_t bytes) {
    protect_range(from, bytes, PROT_READ | PROT_WRITE);
}

void sim_close_range(const void *from, size_t bytes) {
    protect_range(from, bytes, PROT_NONE);
}

void sim_report_leaks(void) {
    if (sim_sticky() != cudaSuccess) {
        return; /* a lost device cannot free anything */
    }
    static const char *const what[] = {"device memory allocated here were never freed",
                                       "page-locked host memory allocated here were never freed",
                                       "host memory registered here were never unregistered",
                                       "managed memory allocated here were never freed", ""};
    for (const struct sim_allocation *a = allocations; a; a = a->next) {
        if (!a->freed && a->space != SIM_HEAP_MEMORY) {
            struct sim_finding finding = {.kind = "leak", .location = a->location};
            sim_report(&finding, "%zu bytes of %s", a->bytes, what[a->space]);
        }
    }
}
