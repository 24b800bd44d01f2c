/* Accesses of a traced program that gcc does not report: labs/sim/translate/machine_accesses.py has
 * the machine code give the address of each instruction to sim_machine_access(), with all registers
 * as they are. What a callback has just reported is known, and so are the running thread's stack
 * and the arguments of its kernel. Of what is left, host code may access what it may by
 * confinement.h, and a kernel's access of the device's memory counts and is checked as any. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Does an access at `address` need no check? `what`: twice the bytes, and 1 more for a store.
 * Changes no vector register. */
bool sim_is_known_access(uintptr_t address, uintptr_t what);

/* Looks at it. `pc`: where the call returns to. */
void sim_look_at_access(uintptr_t address, uintptr_t what, const void *pc);
