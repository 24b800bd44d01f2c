/* Each allocation has a mapping of its own:
 *
 *     guard page | ... poison ... | base: the bytes | fewer than 256 of poison | guard page
 *
 * so that an access more than 255 bytes past the end faults, and a write closer than that is found
 * when the kernel is over. The base is 256-byte aligned, as on the device. The guards of the first
 * ones are wide: an index or a product of 32 bits that overflows stays in them. */
#include "memory/allocations.h"

#include "base/errors.h"
#include "base/options.h"
#include "memory/poison.h"
#include "memory/pool.h"
#include "memory/variables.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#define PAGE ((size_t)4096)
#define ALIGNMENT ((size_t)256)

/* Freed allocations stay mapped without access, up to this many and this much address space. */
#define QUARANTINE_BYTES ((size_t)1 << 34)
#define QUARANTINE_COUNT 4096

/* Wide guards take 64 GB of the 128 TB of addresses that a process has. */
#define WIDE_GUARD ((size_t)1 << 35)
#define CHECKED_GUARD ((size_t)1 << 24)
#define MOST_WIDE 512
static size_t wide_guards;

/* Live and freed ones, in the order of their addresses: `mapping` ascends. */
static struct {
    struct sim_allocation **ordered;
    size_t count, capacity;
    uint64_t number; /* of the newest */
} all;

/* Registered memory that the program freed without unregistering it: others have its addresses. */
static struct sim_allocation *lost;

/* The freed ones, the first one freed first. */
static struct {
    struct sim_allocation *first, **end;
    size_t bytes, count;
} quarantine = {.end = &quarantine.first};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void sim_lock_device(void) {
    pthread_mutex_lock(&lock);
}

void sim_unlock_device(void) {
    pthread_mutex_unlock(&lock);
}

bool sim_free_device_lock(void) {
    bool is_held = pthread_mutex_trylock(&lock) != 0;
    if (is_held) {
        pthread_mutex_init(&lock, NULL);
    } else {
        sim_unlock_device();
    }
    return is_held;
}

static size_t round_up(size_t n, size_t to) {
    return (n + to - 1) / to * to;
}

/* How many allocations begin at or before this address. */
static size_t count_up_to(const char *at) {
    size_t low = 0, high = all.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (all.ordered[middle]->mapping <= at) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static size_t shared_with_host; /* bytes, of all that there has been */

static void take_out(struct sim_allocation *a) {
    size_t at = count_up_to(a->mapping) - 1;
    all.count--;
    memmove(&all.ordered[at], &all.ordered[at + 1], (all.count - at) * sizeof *all.ordered);
}

/* Where the system gives addresses again, the registered memory there is gone. */
static void lose_registered(const char *from, const char *to) {
    size_t i;
    while ((i = count_up_to(to - 1)) > 0 &&
           all.ordered[i - 1]->mapping + all.ordered[i - 1]->mapped > from) {
        struct sim_allocation *a = all.ordered[i - 1];
        take_out(a);
        a->next_freed = lost;
        lost = a;
    }
}

/* Adds a copy of `new_one`; NULL when out of memory. */
static struct sim_allocation *add(const struct sim_allocation *new_one) {
    if (all.count == all.capacity) {
        size_t larger = all.capacity ? all.capacity * 2 : 64;
        struct sim_allocation **moved = realloc(all.ordered, larger * sizeof *moved);
        if (moved == NULL) {
            return NULL;
        }
        all.ordered = moved;
        all.capacity = larger;
    }
    struct sim_allocation *a = malloc(sizeof *a);
    if (a == NULL) {
        return NULL;
    }
    *a = *new_one;
    if (a->space != SIM_DEVICE_MEMORY && a->space != SIM_HEAP_MEMORY) {
        shared_with_host += a->bytes;
    }
    a->number = ++all.number;
    lose_registered(a->mapping, a->mapping + a->mapped);
    size_t at = count_up_to(a->mapping);
    memmove(&all.ordered[at + 1], &all.ordered[at], (all.count - at) * sizeof *all.ordered);
    all.ordered[at] = a;
    all.count++;
    return a;
}

static void forget(struct sim_allocation *a) {
    take_out(a);
    free(a);
}

struct sim_allocation *sim_nth_allocation(size_t n) {
    return n < all.count ? all.ordered[n] : NULL;
}

/* New memory as a device that nothing else uses has it in practice: zeros. Only what surrounds the
 * allocation on its first and last page is poison, by which writes there are noticed. */
static bool fresh_zeros(const struct sim_allocation *a, int protection) {
    char *from = a->mapping + a->guard, *end = a->mapping + a->mapped - a->guard;
    if (mprotect(from, (size_t)(end - from), PROT_READ | PROT_WRITE) != 0) {
        return false;
    }
    memset(from, SIM_POISON, (size_t)(a->base - from));
    memset(a->base + a->bytes, SIM_POISON, (size_t)(end - (a->base + a->bytes)));
    return protection == (PROT_READ | PROT_WRITE) ||
           mprotect(from, (size_t)(end - from), protection) == 0;
}

/* Gives new contents to the memory between the guards, whose pages have none. */
static bool fill(const struct sim_allocation *a) {
    int protection = a->space == SIM_DEVICE_MEMORY ? PROT_NONE : PROT_READ | PROT_WRITE;
    return sim_options.zeros
               ? fresh_zeros(a, protection)
               : poison_map(a->mapping + a->guard, a->mapped - 2 * a->guard, protection);
}

/* Addresses of `bytes` bytes and of two guards, whose width it says. */
static char *map(size_t bytes, size_t *guard) {
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    struct rlimit space;
    char *mapping = MAP_FAILED;
    *guard = WIDE_GUARD;
    if (wide_guards < MOST_WIDE && getrlimit(RLIMIT_AS, &space) == 0 &&
        space.rlim_cur == RLIM_INFINITY) {
        mapping = mmap(NULL, bytes + 2 * *guard, PROT_NONE, flags, -1, 0);
    }
    if (mapping == MAP_FAILED) {
        *guard = sim_checked ? CHECKED_GUARD : PAGE;
        mapping = mmap(NULL, bytes + 2 * *guard, PROT_NONE, flags, -1, 0);
    }
    return mapping == MAP_FAILED ? NULL : mapping;
}

/* Gives back the wide guards of memory that is freed. */
static void narrow(struct sim_allocation *a) {
    const size_t less = a->guard - PAGE;
    wide_guards -= a->guard == WIDE_GUARD;
    munmap(a->mapping, less);
    munmap(a->mapping + a->mapped - less, less);
    a->mapping += less;
    a->mapped -= 2 * less;
    a->guard = PAGE;
}

void *sim_allocate(size_t bytes, enum sim_space space, unsigned flags,
                   struct sim_location location) {
    if (bytes > SIM_GLOBAL_BYTES) {
        return NULL;
    }
    size_t used = round_up(bytes, ALIGNMENT);
    size_t body = round_up(used, PAGE), guard;
    char *mapping = map(body, &guard);
    if (mapping == NULL) {
        return NULL;
    }
    const size_t mapped = body + 2 * guard;
    struct sim_allocation a = {.base = mapping + mapped - guard - used,
                               .bytes = bytes,
                               .mapping = mapping,
                               .mapped = mapped,
                               .guard = guard,
                               .space = space,
                               .flags = flags,
                               .location = location};
    if (!fill(&a) || !add(&a)) {
        munmap(mapping, mapped);
        return NULL;
    }
    wide_guards += guard == WIDE_GUARD;
    return a.base;
}

bool sim_register(void *base, size_t bytes, unsigned flags, struct sim_location location) {
    char *from = base;
    size_t before = count_up_to(from + bytes - 1);
    const struct sim_allocation *last = before ? all.ordered[before - 1] : NULL;
    if (last && !last->freed && last->mapping + last->mapped > from) {
        return false;
    }
    struct sim_allocation a = {.base = from,
                               .bytes = bytes,
                               .mapping = from,
                               .mapped = bytes,
                               .space = SIM_REGISTERED_MEMORY,
                               .flags = flags,
                               .location = location};
    return add(&a) != NULL;
}

size_t sim_shared_with_host(void) {
    return shared_with_host;
}

const struct sim_allocation *sim_owner(const void *address) {
    const char *at = address;
    size_t before = count_up_to(at);
    const struct sim_allocation *a = before ? all.ordered[before - 1] : NULL;
    return a && at < a->mapping + a->mapped ? a : NULL;
}

const char *sim_if_overflow(const char *from, const char *to, const char *at) {
    for (size_t size = 1; size <= 16; size *= 2) {
        const size_t before = (uintptr_t)from - (uintptr_t)at, wrapped = size << 32;
        /* An index just below 0 would be found inside of a vast array, too. */
        if (at < from && before >= wrapped / 4 && before <= wrapped / 2 &&
            wrapped - before < (size_t)(to - from)) {
            return "overflow";
        }
    }
    return NULL;
}

struct sim_allocation *sim_allocation_at(const void *pointer, enum sim_space space) {
    struct sim_allocation *a = (struct sim_allocation *)(uintptr_t)sim_owner(pointer);
    return a && !a->freed && a->base == pointer && a->space == space ? a : NULL;
}

const char *sim_device_end(const void *address) {
    const char *at = address;
    const struct sim_allocation *a = sim_owner(at);
    bool inside = a && sim_is_live_on_device(a) && a->space != SIM_HEAP_MEMORY && at >= a->base &&
                  at < a->base + a->bytes;
    if (inside) {
        return a->base + a->bytes;
    }
    return sim_is_managed(address) ? NULL : sim_variables_end(address);
}

/* Unmaps the allocations that were freed first, once there are too many. One that is open is still
 * in the list of device_access.c. */
static void shorten_quarantine(void) {
    while (quarantine.bytes > QUARANTINE_BYTES || quarantine.count > QUARANTINE_COUNT) {
        struct sim_allocation *a = quarantine.first;
        if (a->open) {
            return;
        }
        quarantine.first = a->next_freed;
        if (quarantine.first == NULL) {
            quarantine.end = &quarantine.first;
        }
        quarantine.bytes -= a->mapped;
        quarantine.count--;
        munmap(a->mapping, a->mapped);
        forget(a);
    }
}

static void put_into_quarantine(struct sim_allocation *a) {
    narrow(a);
    a->next_freed = NULL;
    *quarantine.end = a;
    quarantine.end = &a->next_freed;
    quarantine.bytes += a->mapped;
    quarantine.count++;
    shorten_quarantine();
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
    mmap(a->mapping, a->mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED,
         -1, 0);
    if (!a->of_graph) {
        put_into_quarantine(a);
    }
}

bool sim_allocate_again(struct sim_allocation *a) {
    if (a->freed && fill(a)) {
        a->freed = false;
        a->number = ++all.number;
    }
    return !a->freed;
}

void sim_leave_graph(struct sim_allocation *a) {
    a->of_graph = false;
    if (a->freed) {
        put_into_quarantine(a);
    } else if (!a->launched) {
        sim_release(a);
    }
}

/* Does the program hold memory of the device with it? The heap of the kernels is the runtime's. */
static bool is_on_device(const struct sim_allocation *a) {
    return !a->freed && (a->space == SIM_DEVICE_MEMORY || a->space == SIM_MANAGED_MEMORY);
}

void sim_release_device(void) {
    for (size_t i = all.count; i-- > 0;) { /* releasing one may remove others from the order */
        i = i < all.count ? i : all.count - 1;
        if (!all.ordered[i]->freed) {
            sim_release(all.ordered[i]);
            i = all.count;
        }
    }
}

size_t sim_device_bytes(void) {
    size_t bytes = 0;
    for (size_t i = 0; i < all.count; i++) {
        bytes += is_on_device(all.ordered[i]) ? all.ordered[i]->bytes : 0;
    }
    return bytes;
}

struct sim_object sim_object_of(const struct sim_allocation *a) {
    static const char *const space[] = {"device", "page-locked", "registered", "managed",
                                        "device-heap"};
    return a == NULL ? (struct sim_object){.space = NULL}
                     : (struct sim_object){.space = space[a->space],
                                           .name = a->name,
                                           .bytes = a->bytes,
                                           .made = a->location};
}

static int newest_first(const void *a, const void *b) {
    uint64_t one = (*(struct sim_allocation *const *)a)->number;
    uint64_t two = (*(struct sim_allocation *const *)b)->number;
    return one < two ? 1 : -1;
}

/* Reports the live allocations for which `chosen` is true; grader/findings/catalogue.py has the
 * sentence. */
static void report_leaks(const char *severity, bool (*chosen)(const struct sim_allocation *)) {
    size_t count = 0, most = all.count;
    for (const struct sim_allocation *a = lost; a; a = a->next_freed) {
        most++;
    }
    const struct sim_allocation **leaks = malloc((most + 1) * sizeof *leaks);
    for (size_t i = 0; leaks && i < all.count; i++) {
        if (chosen(all.ordered[i])) {
            leaks[count++] = all.ordered[i];
        }
    }
    for (const struct sim_allocation *a = lost; leaks && a; a = a->next_freed) {
        if (chosen(a)) {
            leaks[count++] = a;
        }
    }
    if (leaks) {
        qsort(leaks, count, sizeof *leaks, newest_first);
    }
    for (size_t i = 0; i < count; i++) {
        sim_report(&(struct sim_finding){.found = FOUND_LEAK,
                                         .severity = severity,
                                         .location = leaks[i]->location,
                                         .object = sim_object_of(leaks[i])});
    }
    free(leaks);
}

static bool is_live(const struct sim_allocation *a) {
    /* What is queued to be freed, or what a graph has yet to allocate, is no leak. */
    bool pending = a->is_free_queued || (a->of_graph && !a->launched);
    return !a->freed && !pending && a->space != SIM_HEAP_MEMORY;
}

void sim_report_leaks(void) {
    if (sim_sticky() == cudaSuccess) { /* a lost device cannot free anything */
        report_leaks("error", is_live);
    }
}

void sim_report_device_leaks(void) {
    /* After an error, most programs reset the device instead of freeing what they have. */
    report_leaks(sim_sticky() == cudaSuccess ? "error" : "note", is_on_device);
}
