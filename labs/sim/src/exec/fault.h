/* Explains a crash of the program: which memory was accessed, and by which thread. */
#ifndef SIM_FAULT_H
#define SIM_FAULT_H

#include <stdbool.h>

/* From now on, a crash is explained before the process ends. */
void sim_catch_faults(void);

/* Gives this host thread a separate stack for the signal handler: its own may be used up. */
void sim_prepare_fault_stack(void);

/* Where the program was when a signal came: `context` is the third argument of its handler. */
const void *sim_program_counter(const void *context);

/* Could this process read a byte there? */
bool sim_is_readable(const void *address);

#endif
