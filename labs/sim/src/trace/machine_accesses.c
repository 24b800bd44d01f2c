#include "trace/machine_accesses.h"

#include "exec/shared.h"
#include "exec/thread.h"
#include "memory/allocations.h"
#include "memory/variables.h"
#include "trace/confinement.h"
#include "trace/foreign_calls.h"
#include "trace/last_reported.h"
#include "trace/recorder.h"

/* No vector register may change in a function that access_calls.S calls without saving them. */
#if defined(__x86_64__)
#define GENERAL_REGISTERS __attribute__((target("general-regs-only")))
#else
#define GENERAL_REGISTERS
#endif

GENERAL_REGISTERS static bool is_reported(uintptr_t from, uintptr_t bytes, bool store) {
    for (unsigned i = 0; i < LAST_REPORTED; i++) {
        const struct reported_access *r = &sim_last_reported[i];
        if (from - r->from < r->what / 2 && r->what / 2 - (from - r->from) >= bytes &&
            (r->what & 1 || !store)) {
            return true;
        }
    }
    return false;
}

/* What a thread of a kernel may read beside the device's memory: its arguments, and thread-local
 * variables, such as threadIdx. */
GENERAL_REGISTERS static bool is_readable(const struct worker *w, uintptr_t address,
                                          uintptr_t bytes) {
    const struct confined_range *local = &confined[CONFINED_THREAD_LOCAL];
    return address - (uintptr_t)w->launch.closure < w->block.config->closure_bytes ||
           (local->bytes > bytes && address - local->from <= local->bytes - bytes);
}

GENERAL_REGISTERS bool sim_is_known_access(uintptr_t address, uintptr_t what) {
    const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    const struct worker *w = sim_worker;
    const bool store = what & 1;
    if (w != NULL && w->block.config != NULL) {
        return address - (uintptr_t)w->lane.fiber->stack < w->lane.fiber->bytes ||
               (!store && is_readable(w, address, what / 2)) ||
               is_reported(address, what / 2, store);
    }
    /* The frames of host code, from here up to where it was called. */
    return is_reported(address, what / 2, store) ||
           (confined_callers.bytes > 0 && address - here < confined_callers.from - here);
}

/* Is it memory in which a kernel's accesses count? */
static bool is_on_device(const struct worker *w, const char *at) {
    const struct sim_allocation *a;
    return (at >= w->arena && at < w->dynamic_end) || sim_is_in_variables(at) ||
           ((a = sim_owner(at)) != NULL && a->space != SIM_REGISTERED_MEMORY);
}

void sim_look_at_access(uintptr_t address, uintptr_t what, const void *pc) {
    const void *at = (const void *)address;
    const uintptr_t bytes = what / 2;
    const bool store = what & 1, in_kernel = sim_worker != NULL && sim_worker->block.config != NULL;
    if (bytes == 0) {
        foreign_call(in_kernel, pc);
    } else if (!in_kernel) {
        confine(at, bytes, store, pc);
    } else if (is_on_device(sim_worker, at)) {
        record_access((void *)address, bytes, store, pc);
    } else {
        confine_kernel(at, bytes, store, pc);
    }
}

void record_library(const void *at, size_t bytes, bool store, const void *pc) {
    const bool in_kernel = sim_worker != NULL && sim_worker->block.config != NULL;
    confine_host(at, bytes, store, pc);
    if (in_kernel && bytes > 0 && !is_reported((uintptr_t)at, bytes, store)) {
        record_access(at, bytes, store, pc);
    }
}
