/* What a crash of the program was: whose memory was touched, by which thread. */
#ifndef SIM_FAULT_H
#define SIM_FAULT_H

#include <stdbool.h>

/* From now on a crash is explained before the process dies of it. */
void sim_catch_faults(void);

/* Gives this host thread a stack for that, since its own may be used up. */
void sim_prepare_fault_stack(void);

/* Could this process read a byte there? */
bool sim_is_readable(const void *address);

#endif
