/* Static variables lie in an arena, each at the offset that it was given when the launch first used
 * it. Dynamic memory ends at a guard page, so that an access past its end faults. */
#include "exec/shared.h"

#include "base/errors.h"
#include "base/findings.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define DYNAMIC ((size_t)228 * 1024)
#define BEFORE_DYNAMIC (SIM_SHARED_ARENA + SIM_SHARED_GUARD)

size_t sim_shared_gap;
unsigned sim_shared_launch;
_Thread_local char *sim_shared_arena;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static size_t used, laid_out, most; /* `most` limits `used` */
static struct sim_shared_slot *slots[SIM_SHARED_SLOTS];
static unsigned slot_count;

void sim_shared_begin(size_t limit) {
    sim_shared_launch++;
    used = laid_out = 0;
    slot_count = 0;
    most = limit < SIM_BLOCK_SHARED ? limit : SIM_BLOCK_SHARED;
}

void sim_shared_keep(struct sim_shared_layout *layout) {
    *layout = (struct sim_shared_layout){used, laid_out, most, slot_count, {0}, {NULL}};
    for (unsigned i = 0; i < slot_count; i++) {
        layout->slot[i] = slots[i];
        layout->offset[i] = slots[i]->offset;
    }
}

void sim_shared_resume(const struct sim_shared_layout *layout) {
    sim_shared_launch++;
    used = layout->used;
    laid_out = layout->laid_out;
    most = layout->most;
    slot_count = layout->count;
    for (unsigned i = 0; i < slot_count; i++) {
        slots[i] = layout->slot[i];
        slots[i]->offset = layout->offset[i];
        slots[i]->launch = sim_shared_launch;
    }
}

size_t sim_shared_used(void) {
    return __atomic_load_n(&used, __ATOMIC_RELAXED);
}

size_t sim_shared_laid_out(void) {
    return __atomic_load_n(&laid_out, __ATOMIC_RELAXED);
}

const struct sim_shared_slot *sim_shared_nearest(size_t offset) {
    const struct sim_shared_slot *nearest = NULL;
    size_t least = SIZE_MAX;
    for (unsigned i = 0; i < slot_count; i++) {
        size_t from = slots[i]->offset, to = from + slots[i]->size;
        size_t distance = offset < from ? from - offset : offset >= to ? offset - to + 1 : 0;
        if (distance < least) {
            least = distance;
            nearest = slots[i];
        }
    }
    return nearest;
}

static size_t round_up(size_t n, size_t to) {
    return (n + to - 1) / to * to;
}

/* Ends the kernel; a device would not have started it. nvcc does not even compile one whose static
 * variables alone are too large; the translator has refused those of one function (variables.py),
 * but does not see that a kernel calls functions with variables of their own. */
static void refuse(const struct sim_shared_slot *slot, size_t needed) {
    const struct sim_config *c = sim_worker->block.config;
    if (needed > SIM_BLOCK_SHARED) {
        sim_report_once(&(struct sim_finding){.found = FOUND_TOO_MUCH_STATIC_SHARED,
                                              .kernel = c->kernel,
                                              .location = {slot->file, slot->line},
                                              .text = slot->name,
                                              .bytes = needed,
                                              .limit = SIM_BLOCK_SHARED});
    } else {
        sim_unchecked_launch(&(struct sim_finding){.found = FOUND_TOO_MUCH_SHARED_LATE,
                                                   .kernel = c->kernel,
                                                   .location = {c->file, c->line},
                                                   .error = "cudaErrorInvalidValue",
                                                   .text = slot->name,
                                                   .place = {slot->file, slot->line},
                                                   .bytes = needed,
                                                   .value = (long long)c->shared,
                                                   .limit = (long long)(most + c->shared)});
    }
    sim_end_kernel(cudaErrorInvalidValue);
}

void *sim_shared_address(struct sim_shared_slot *slot) {
    if (__atomic_load_n(&slot->launch, __ATOMIC_ACQUIRE) != sim_shared_launch) {
        sim_worker->lane.busy = true;
        pthread_mutex_lock(&lock);
        size_t align = slot->align > 16 ? slot->align : 16;
        size_t needed = round_up(used, align) + slot->size;
        size_t offset = round_up(laid_out + sim_shared_gap, align);
        bool fits = needed <= most && offset + slot->size <= SIM_SHARED_ARENA;
        if (fits && slot->launch != sim_shared_launch) {
            slot->offset = (unsigned)offset;
            if (slot_count < SIM_SHARED_SLOTS) {
                slots[slot_count++] = slot;
            }
            __atomic_store_n(&used, needed, __ATOMIC_RELAXED);
            __atomic_store_n(&laid_out, offset + slot->size, __ATOMIC_RELAXED);
            __atomic_store_n(&slot->launch, sim_shared_launch, __ATOMIC_RELEASE);
        }
        pthread_mutex_unlock(&lock);
        sim_worker->lane.busy = false;
        if (!fits && slot->launch != sim_shared_launch) {
            refuse(slot, needed);
        }
    }
    return sim_worker->arena + slot->offset;
}

void *sim_dynamic_shared(const char *name, size_t element) {
    struct worker *w = sim_worker;
    w->block.dynamic_name = name;
    w->block.dynamic_element = element;
    return w->block.dynamic;
}

const char *sim_if_elements(size_t asked, size_t element, ptrdiff_t offset) {
    const size_t meant = asked * element, at = (size_t)offset;
    const bool explains =
        element > 1 && at % element == 0 && meant <= SIM_BLOCK_SHARED && at >= asked && at < meant;
    return explains ? "elements" : NULL;
}

/* Where a worker's shared memory goes: far from all else, so that sim_shared_map_wrapped() finds no
 * memory where an index of 32 bits leads that has wrapped around: up to 64 GB away, of elements of
 * 16 bytes. Its own lowest 32 bits are far from those of a null pointer. Only a wish: a smaller
 * address space has no such place. */
static void *place(void) {
    enum { FIRST = 32, APART = 256, PLACES = 128 }; /* TB, GB */
    static unsigned workers;
    const uint64_t number = __atomic_fetch_add(&workers, 1, __ATOMIC_RELAXED) % PLACES;
    return (void *)(uintptr_t)(((uint64_t)FIRST << 40) + number * ((uint64_t)APART << 30) +
                               ((uint64_t)2 << 30));
}

bool sim_shared_create(struct worker *w) {
    size_t bytes = BEFORE_DYNAMIC + DYNAMIC + SIM_SHARED_GUARD;
    char *memory = mmap(place(), bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        return false;
    }
    w->arena = sim_shared_arena = memory;
    w->dynamic_end = memory + BEFORE_DYNAMIC + DYNAMIC;
    mprotect(memory + SIM_SHARED_ARENA, SIM_SHARED_GUARD, PROT_NONE);
    mprotect(w->dynamic_end, SIM_SHARED_GUARD, PROT_NONE);
    memset(w->arena, SIM_POISON, SIM_SHARED_ARENA);
    w->block.dynamic = w->dynamic_end;
    return true;
}

void sim_shared_reset(struct worker *w, size_t bytes) {
    memset(w->arena, SIM_POISON, w->poisoned);
    w->block.dynamic = w->dynamic_end - (bytes + 15) / 16 * 16;
    memset(w->block.dynamic, SIM_POISON, (size_t)(w->dynamic_end - w->block.dynamic));
}

bool sim_past_dynamic_shared(const void *address) {
    const char *at = address;
    return at >= sim_worker->dynamic_end && at < sim_worker->dynamic_end + SIM_SHARED_GUARD;
}

const char *sim_shared_wrapped(const void *address) {
    const struct worker *w = sim_worker;
    const char *at = w->arena + (uint32_t)((uintptr_t)address - (uintptr_t)w->arena);
    bool is_shared =
        at < w->arena + SIM_SHARED_ARENA || (at >= w->block.dynamic && at < w->dynamic_end);
    return w->block.config && at != address && is_shared ? at : NULL;
}

/* Maps the shared memory, which this file has, at `to`. */
static bool map_file(int file, char *to, int how) {
    const int access = PROT_READ | PROT_WRITE;
    char *dynamic = to + BEFORE_DYNAMIC;
    return mmap(to, SIM_SHARED_ARENA, access, MAP_SHARED | how, file, 0) == to &&
           mmap(dynamic, DYNAMIC, access, MAP_SHARED | how, file, BEFORE_DYNAMIC) == dynamic;
}

bool sim_shared_map_wrapped(const void *address) {
    const char *at = sim_shared_wrapped(address);
    struct worker *w = sim_worker;
    if (at == NULL) {
        return false;
    }
    if (w->shared_file == 0) {
        int file = memfd_create("shared", MFD_CLOEXEC);
        if (file < 0 || ftruncate(file, BEFORE_DYNAMIC + DYNAMIC) != 0 ||
            pwrite(file, w->arena, SIM_SHARED_ARENA, 0) != SIM_SHARED_ARENA ||
            pwrite(file, w->dynamic_end - DYNAMIC, DYNAMIC, BEFORE_DYNAMIC) != DYNAMIC ||
            !map_file(file, w->arena, MAP_FIXED)) {
            return false;
        }
        w->shared_file = file;
    }
    return map_file(w->shared_file, w->arena + ((const char *)address - at), MAP_FIXED_NOREPLACE);
}
