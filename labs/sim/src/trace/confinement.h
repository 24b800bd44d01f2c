/* Keeps the host code of a graded, traced program out of memory that is the runtime's: the counters
 * and findings that speak about it, the key of its evidence, and the stack of its callers. Kernels
 * need no such rule: they may access nothing but the device's memory (check/memcheck.h).
 *
 * The runtime's variables are in sections of their own (labs/runtime/course.ld) and its
 * thread-local ones after those of the program (tls_mark.c); what it allocates is in a heap of its
 * own (base/own_heap.h). */
#pragma once

#include "base/findings.h"
#include "base/options.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum confined_memory {
    CONFINED_VARIABLES,
    CONFINED_ZEROED, /* variables that begin as zeros */
    CONFINED_THREAD_LOCAL,
    CONFINED_HEAP,
    CONFINED_MEMORY, /* how many there are */
};

struct confined_range {
    uintptr_t from, bytes; /* 0 bytes: there is none */
};
extern struct confined_range confined[CONFINED_MEMORY] SIM_HIDDEN;
/* These may be read: what libraries have, around all of them, and the stack of the functions that
 * have called the student's, where arguments may be. */
extern struct confined_range confined_libraries SIM_HIDDEN, confined_callers SIM_HIDDEN;
extern bool is_confined SIM_HIDDEN; /* does this program have ranges at all? */

/* Finds the ranges of a graded run. Called once, with the last thread-local variable of the
 * submission: tls_mark.c. */
void confinement_begin(const char *tls_mark);

/* The student's code is called next, by the function with this frame; NULL: it has returned. */
void confinement_turn(const void *frame);

/* Ends the run, with a finding, if the access is one that host code may not make. `pc`: the return
 * address of the callback. */
void confinement_judge(uintptr_t address, size_t bytes, bool store, const void *pc);

/* An access of host code; nothing happens in a kernel. */
void confine_host(const void *at, size_t bytes, bool store, const void *pc);

/* An access of a kernel to memory that is not the device's. It may read thread-local variables,
 * such as threadIdx. */
void confine_kernel(const void *at, size_t bytes, bool store, const void *pc);

/* The same for an access that the runtime API makes for a call at `location`. */
void confinement_call(const void *at, size_t bytes, bool store, struct sim_location location);

/* An access of host code, before it happens. */
static inline __attribute__((always_inline)) void confine(const void *at, size_t bytes, bool store,
                                                          const void *pc) {
    const uintptr_t address = (uintptr_t)at, end = address + bytes;
    bool is_inside = store && (end - confined_libraries.from <= confined_libraries.bytes + bytes ||
                               end - confined_callers.from <= confined_callers.bytes + bytes);
    for (int i = 0; i < CONFINED_MEMORY; i++) {
        is_inside |= confined[i].bytes > 0 && address < confined[i].from + confined[i].bytes &&
                     end > confined[i].from;
    }
    if (__builtin_expect(is_inside, false)) {
        confinement_judge(address, bytes, store, pc);
    }
}
