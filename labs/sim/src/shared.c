/* A block's shared memory. Static variables lie in an arena, each at the place that it got when the
 * launch first met it; dynamic memory ends at a guard page, so that running past it faults. */
#include "block.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE ((size_t)4096)
#define ARENA SIM_BLOCK_SHARED
#define DYNAMIC ((size_t)228 * 1024)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned launch_number;
static size_t used, most;

void sim_shared_begin(size_t limit) {
    launch_number++;
    used = 0;
    most = limit < ARENA ? limit : ARENA;
}

size_t sim_shared_used(void) {
    return __atomic_load_n(&used, __ATOMIC_RELAXED);
}

/* Ends the kernel: the device would not have begun it. */
static void refuse(const struct sim_shared_slot *slot, size_t wanted) {
    const struct sim_config *c = sim_worker->config;
    struct sim_finding finding = {
        .kind = "invalid-launch", .kernel = c->kernel, .place = {c->file, c->line}};
    sim_report(&finding,
               "the launch of %s fails with cudaErrorInvalidValue: its __shared__ variables take "
               "%zu bytes up to %s (%s:%d) and its dynamic shared memory %zu; a block may have %zu",
               c->kernel, wanted, slot->name, slot->file, slot->line, c->shared,
               most == ARENA ? ARENA : most + c->shared);
    sim_end_kernel(cudaErrorInvalidValue);
}

void *sim_shared_address(struct sim_shared_slot *slot) {
    if (__atomic_load_n(&slot->launch, __ATOMIC_ACQUIRE) != launch_number) {
        pthread_mutex_lock(&lock);
        size_t align = slot->align > 16 ? slot->align : 16;
        size_t offset = (used + align - 1) / align * align;
        bool fits = offset + slot->size <= most;
        if (fits && slot->launch != launch_number) {
            slot->offset = (unsigned)offset;
            __atomic_store_n(&used, offset + slot->size, __ATOMIC_RELAXED);
            __atomic_store_n(&slot->launch, launch_number, __ATOMIC_RELEASE);
        }
        pthread_mutex_unlock(&lock);
        if (!fits && slot->launch != launch_number) {
            refuse(slot, offset + slot->size);
        }
    }
    return sim_worker->arena + slot->offset;
}

void *sim_dynamic_shared(void) {
    return sim_worker->dynamic;
}

bool sim_shared_create(struct worker *w) {
    size_t bytes = ARENA + PAGE + DYNAMIC + PAGE;
    char *memory =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        return false;
    }
    w->arena = memory;
    w->dynamic_end = memory + ARENA + PAGE + DYNAMIC;
    mprotect(memory + ARENA, PAGE, PROT_NONE);
    mprotect(w->dynamic_end, PAGE, PROT_NONE);
    memset(w->arena, SIM_POISON, ARENA);
    w->dynamic = w->dynamic_end;
    return true;
}

void sim_shared_reset(struct worker *w, size_t bytes) {
    memset(w->arena, SIM_POISON, w->poisoned);
    w->dynamic = w->dynamic_end - (bytes + 15) / 16 * 16;
    memset(w->dynamic, SIM_POISON, (size_t)(w->dynamic_end - w->dynamic));
}

bool sim_past_dynamic_shared(const void *address) {
    const char *at = address;
    return at >= sim_worker->dynamic_end && at < sim_worker->dynamic_end + PAGE;
}
