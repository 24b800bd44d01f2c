/* Accesses of a traced program that gcc does not report: labs/sim/translate/machine_accesses.py has
 * the machine code give the address of each instruction to sim_machine_access(), with all registers
 * as they are. What a callback has just reported is known, and so is the running thread's stack. Of
 * what is left, host code may access what it may by confinement.h, and a kernel's access of the
 * device's memory counts and is checked as any other. */
#ifndef SIM_MACHINE_ACCESSES_H
#define SIM_MACHINE_ACCESSES_H

#include "base/options.h"

#include <stdbool.h>
#include <stdint.h>

enum { LAST_REPORTED = 4 }; /* a power of 2 */

/* The accesses that callbacks have reported last. */
struct reported_access {
    uintptr_t from, bytes;
    bool store;
};
extern _Thread_local struct reported_access sim_last_reported[LAST_REPORTED] SIM_HIDDEN;
extern _Thread_local unsigned sim_reported_count SIM_HIDDEN;

static inline __attribute__((always_inline)) void note_reported(const volatile void *at,
                                                                uintptr_t bytes, bool store) {
    struct reported_access *r = &sim_last_reported[sim_reported_count++ % LAST_REPORTED];
    r->from = (uintptr_t)at;
    r->bytes = bytes;
    r->store = store;
}

/* Does an access at `address` need no look? `what`: twice the bytes, and 1 more for a store.
 * Changes no vector register. */
bool sim_is_known_access(uintptr_t address, uintptr_t what);

/* Looks at it. `pc`: where the call returns to. */
void sim_look_at_access(uintptr_t address, uintptr_t what, const void *pc);

#endif
