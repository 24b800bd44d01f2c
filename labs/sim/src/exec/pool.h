/* Host threads that share out the blocks of a launch. */
#ifndef SIM_POOL_H
#define SIM_POOL_H

#include <stdbool.h>
#include <stdint.h>

/* Calls work(context, i) for every i below `count`, spread over the cores (or over
 * CONVLABS_SIM_THREADS), in chunks of rising i. Stops early when a call returns false, and then
 * returns false. Only one at a time, from the program's host thread. */
bool sim_pool_run(uint64_t count, bool (*work)(void *context, uint64_t i), void *context);

#endif
