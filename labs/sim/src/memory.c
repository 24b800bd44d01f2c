#include "sim.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE ((size_t)4096)
#define ALIGNMENT ((size_t)256) /* cudaMalloc's */
#define POISON 0xff             /* NaN as a float, -1 as an int */

/* All allocations, the newest first. Freed ones stay, inaccessible, until this many bytes of
 * address space have been freed after them. */
#define QUARANTINE ((size_t)1 << 33)

static struct sim_allocation *allocations;

/* The linker gives the bounds of the sections that the rewriter puts variables into. */
extern char __start_sim_constant[] __attribute__((weak));
extern char __stop_sim_constant[] __attribute__((weak));
extern char __start_sim_device[] __attribute__((weak));
extern char __stop_sim_device[] __attribute__((weak));

static size_t round_up(size_t n, size_t to) {
    return (n + to - 1) / to * to;
}

void *sim_allocate(size_t bytes, enum sim_space space, unsigned flags, struct sim_place place) {
    if (bytes > (size_t)1 << 46) {
        return NULL;
    }
    size_t used = round_up(bytes ? bytes : 1, ALIGNMENT);
    size_t mapped = round_up(used, PAGE) + 2 * PAGE;
    char *mapping = mmap(NULL, mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct sim_allocation *a = calloc(1, sizeof *a);
    if (mapping == MAP_FAILED || !a ||
        mprotect(mapping + PAGE, mapped - 2 * PAGE, PROT_READ | PROT_WRITE) != 0) {
        if (mapping != MAP_FAILED) {
            munmap(mapping, mapped);
        }
        free(a);
        return NULL;
    }
    char *base = mapping + mapped - PAGE - used;
    memset(mapping + PAGE, POISON, mapped - 2 * PAGE);
    *a = (struct sim_allocation){.base = base, .bytes = bytes, .mapping = mapping,
                                 .mapped = mapped, .space = space, .flags = flags,
                                 .place = place, .next = allocations};
    allocations = a;
    return base;
}

struct sim_allocation *sim_owner_of_base(const void *pointer, enum sim_space space) {
    for (struct sim_allocation *a = allocations; a; a = a->next) {
        if (!a->freed && a->base == pointer && a->space == space) {
            return a;
        }
    }
    return NULL;
}

const struct sim_allocation *sim_mapping_of(const void *address) {
    const char *at = address;
    for (const struct sim_allocation *a = allocations; a; a = a->next) {
        if (at >= a->mapping && at < a->mapping + a->mapped) {
            return a;
        }
    }
    return NULL;
}

bool sim_is_device(const void *address, const char **end) {
    const char *at = address;
    for (const struct sim_allocation *a = allocations; a; a = a->next) {
        if (!a->freed && a->space == SIM_DEVICE_MEMORY && at >= a->base &&
            at < a->base + a->bytes + (a->bytes == 0)) {
            *end = a->base + a->bytes;
            return true;
        }
    }
    if (at >= __start_sim_device && at < __stop_sim_device) {
        *end = __stop_sim_device;
        return true;
    }
    if (at >= __start_sim_constant && at < __stop_sim_constant) {
        *end = __stop_sim_constant;
        return true;
    }
    return false;
}

/* Gives the address space of the longest freed back once there is too much of it. */
static void shorten_quarantine(void) {
    size_t held = 0;
    for (struct sim_allocation **at = &allocations; *at;) {
        struct sim_allocation *a = *at;
        held += a->freed ? a->mapped : 0;
        if (a->freed && held > QUARANTINE) {
            *at = a->next;
            munmap(a->mapping, a->mapped);
            free(a);
        } else {
            at = &a->next;
        }
    }
}

void sim_release(struct sim_allocation *a) {
    a->freed = true;
    /* A fresh inaccessible mapping in its place: the memory goes back, the addresses do not. */
    mmap(a->mapping, a->mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    shorten_quarantine();
}

void sim_release_all(void) {
    for (struct sim_allocation *a = allocations; a; a = a->next) {
        if (!a->freed && a->space == SIM_DEVICE_MEMORY) {
            a->freed = true;
            mprotect(a->mapping, a->mapped, PROT_NONE);
        }
    }
}

void sim_report_leaks(void) {
    for (const struct sim_allocation *a = allocations; a; a = a->next) {
        if (!a->freed) {
            struct sim_finding finding = {.severity = "error", .kind = "leak", .place = a->place};
            sim_report(&finding, "%zu bytes of %s memory allocated here were never freed", a->bytes,
                       a->space == SIM_DEVICE_MEMORY ? "device" : "pinned host");
        }
    }
}

bool sim_is_constant(const void *address) {
    const char *at = address;
    return at >= __start_sim_constant && at < __stop_sim_constant;
}
