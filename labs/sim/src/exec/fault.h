/* Explains a crash of the program: which memory was accessed, and by which thread. */
#pragma once

#include "base/findings.h"

#include <stdbool.h>
#include <stddef.h>

/* From now on, a crash is explained before the process ends. */
void sim_catch_faults(void);

/* Gives this host thread a separate stack for the signal handler: its own may be used up. */
void sim_prepare_fault_stack(void);

/* Where the program was when a signal came: `context` is the third argument of its handler. */
const void *sim_program_counter(const void *context);

/* Bytes that the runtime reads and writes for a call of the program, such as cudaMemcpy(). If that
 * faults, the call is at fault. */
struct sim_accesses {
    const char *name; /* of the API function */
    struct sim_location location;
    const char *from, *to;
    size_t from_bytes, to_bytes;
};

/* What this host thread is about to access; NULL: nothing any more. `*accesses` must stay until
 * then. */
void sim_accesses_for_call(const struct sim_accesses *accesses);

/* Is the address that of a pointer which was never set, or near it? Local variables hold bytes 0xfe
 * until then: -ftrivial-auto-var-init=pattern. */
bool sim_is_never_set(uintptr_t address);

/* Could this process read a byte there? */
bool sim_is_readable(const void *address);
