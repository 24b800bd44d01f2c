/* When device memory can be accessed: while a kernel runs, and while the runtime itself copies or
 * fills it. At any other time an access of the host faults.
 *
 * A launch opens an allocation when one of its threads first accesses it, from the handler of the
 * fault: opening and closing costs time for each page that was ever touched, and most kernels use
 * few of a program's allocations. If there are few and small ones, all are opened at once. What one
 * kernel has opened stays open for those that run after it, until code of the host goes on. */
#include "base/options.h"
#include "memory/allocations.h"
#include "memory/variables.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysinfo.h>

#define PAGE ((size_t)4096)
#define HUGE_PAGE ((size_t)2 << 20)
#define ALIGNMENT ((size_t)256)

#define FEW_ALLOCATIONS 8
#define FEW_BYTES ((size_t)4 << 20)

static struct {
    bool begun;                   /* a kernel runs */
    bool busy;                    /* a lock: the handler of a signal can wait only in a loop */
    struct sim_allocation *first; /* the allocations that are open */
} open;

static void protect(const struct sim_allocation *a, int protection) {
    mprotect(a->mapping + a->guard, a->mapped - 2 * a->guard, protection);
}

static void open_allocation(struct sim_allocation *a) {
    if (a->open) {
        return;
    }
    protect(a, PROT_READ | PROT_WRITE);
    a->open = true;
    a->next_open = open.first;
    open.first = a;
}

void sim_open_device(void) {
    size_t count = 0, bytes = 0;
    struct sim_allocation *a;
    for (size_t i = 0; (a = sim_nth_allocation(i)) != NULL && count <= FEW_ALLOCATIONS; i++) {
        count += sim_is_live_on_device(a);
        bytes += sim_is_live_on_device(a) ? a->bytes : 0;
    }
    if (count <= FEW_ALLOCATIONS && bytes <= FEW_BYTES) {
        for (size_t i = 0; (a = sim_nth_allocation(i)) != NULL; i++) {
            if (sim_is_live_on_device(a)) {
                open_allocation(a);
            }
        }
    }
    sim_protect_constants(true);
    __atomic_store_n(&open.begun, true, __ATOMIC_RELEASE);
}

bool sim_open_at(const void *address) {
    const char *at = address;
    if (!__atomic_load_n(&open.begun, __ATOMIC_ACQUIRE)) {
        return false;
    }
    struct sim_allocation *a = (struct sim_allocation *)(uintptr_t)sim_owner(at);
    if (a == NULL || !sim_is_live_on_device(a) || at < a->mapping + a->guard ||
        at >= a->mapping + a->mapped - a->guard) {
        return false;
    }
    while (__atomic_exchange_n(&open.busy, true, __ATOMIC_ACQUIRE)) {
    }
    open_allocation(a); /* unless another host thread has opened it since */
    __atomic_store_n(&open.busy, false, __ATOMIC_RELEASE);
    return true;
}

/* The first byte of from..to that is no longer poison, or NULL. */
static char *written(char *from, char *to) {
    if (from < to && (unsigned char)*from == SIM_POISON &&
        memcmp(from, from + 1, (size_t)(to - from) - 1) == 0) {
        return NULL; /* all are equal to the first one */
    }
    while (from < to && (unsigned char)*from == SIM_POISON) {
        from++;
    }
    return from < to ? from : NULL;
}

/* Reports a byte that `kernel` has changed next to an allocation. */
static void report_changed(enum finding_kind found, const struct sim_allocation *a, const char *bad,
                           const char *kernel, struct sim_location location) {
    sim_report(&(struct sim_finding){.found = found,
                                     .kernel = kernel,
                                     .location = location,
                                     .object = sim_object_of(a),
                                     .offset = bad - a->base});
}

/* Reports changed poison around an allocation, and restores it. */
static void check_surroundings(const struct sim_allocation *a, const char *kernel,
                               struct sim_location location) {
    char *after = a->base + a->bytes, *end = a->mapping + a->mapped - a->guard;
    char *before = a->base - a->mapping > (ptrdiff_t)(a->guard + ALIGNMENT) ? a->base - ALIGNMENT
                                                                            : a->mapping + a->guard;
    const char *bad = written(after, end);
    if (bad) {
        report_changed(FOUND_WROTE_PAST_END, a, bad, kernel, location);
        memset(after, SIM_POISON, (size_t)(end - after));
    }
    bad = written(before, a->base);
    if (bad) {
        report_changed(FOUND_WROTE_BEFORE, a, bad, kernel, location);
        memset(before, SIM_POISON, (size_t)(a->base - before));
    }
}

void sim_close_device(const char *kernel, struct sim_location location) {
    for (struct sim_allocation *a = open.first; a; a = a->next_open) {
        if (!sim_checked && !a->freed) {
            check_surroundings(a, kernel, location);
        }
    }
    sim_protect_constants(false);
    __atomic_store_n(&open.begun, false, __ATOMIC_RELEASE);
}

void sim_return_device(void) {
    for (struct sim_allocation *a = open.first; a; a = a->next_open) {
        if (!a->freed) {
            protect(a, PROT_NONE);
        }
        a->open = false;
    }
    open.first = NULL;
}

static void protect_range(const void *from, size_t bytes, int protection) {
    const struct sim_allocation *a = sim_owner(from);
    if (a && sim_is_live_on_device(a) && !a->open) {
        uintptr_t first = (uintptr_t)from / PAGE * PAGE;
        uintptr_t end = ((uintptr_t)from + bytes + PAGE - 1) / PAGE * PAGE;
        mprotect((void *)first, end - first, protection);
    }
}

/* Ends the program with a message if the host can never hold so many bytes: the system would kill
 * it without one. */
static void refuse_impossible(size_t bytes) {
    struct sysinfo host;
    if (bytes < (size_t)1 << 30 || sysinfo(&host) != 0) {
        return;
    }
    double unit = host.mem_unit, has = unit * (double)host.totalram + unit * (double)host.totalswap;
    if ((double)bytes > has) {
        sim_report(&(struct sim_finding){
            .found = FOUND_TOO_MUCH_MEMORY, .bytes = bytes, .limit = (long long)has});
        _Exit(EXIT_FAILURE);
    }
}

void sim_open_range(const void *from, size_t bytes) {
    refuse_impossible(bytes);
    protect_range(from, bytes, PROT_READ | PROT_WRITE);
}

/* Large pages in place of the poison in from..to, all of which is about to be written: the system
 * provides them at once, and a kernel whose threads access memory far apart runs several times as
 * fast. Memory that has them keeps them. */
static void take_large_pages(struct sim_allocation *a, char *from, char *to) {
    from += HUGE_PAGE - 1;
    from -= (uintptr_t)from % HUGE_PAGE;
    to -= (uintptr_t)to % HUGE_PAGE;
    bool overlaps = a->large_from && from < a->large_to && to > a->large_from;
    int protection = a->open ? PROT_READ | PROT_WRITE : PROT_NONE;
    if (from >= to || overlaps ||
        mmap(from, (size_t)(to - from), protection,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED) {
        return;
    }
    madvise(from, (size_t)(to - from), MADV_HUGEPAGE); /* a wish */
    a->large_from = a->large_from && a->large_from < from ? a->large_from : from;
    a->large_to = a->large_to > to ? a->large_to : to;
}

void sim_open_to_overwrite(void *to, size_t bytes) {
    struct sim_allocation *a = (struct sim_allocation *)(uintptr_t)sim_owner(to);
    char *from = to;
    if (a && sim_is_live_on_device(a) && from >= a->base && from + bytes <= a->base + a->bytes) {
        refuse_impossible(bytes);
        take_large_pages(a, from, from + bytes);
    }
    sim_open_range(to, bytes);
}

void sim_close_range(const void *from, size_t bytes) {
    protect_range(from, bytes, PROT_NONE);
}
