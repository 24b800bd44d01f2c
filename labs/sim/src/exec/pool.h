/* Host threads that share the blocks of a launch. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Calls work(context, i) for every i below `count`, on all cores (or on CONVLABS_SIM_THREADS
 * threads; `alone`: on the calling one), in chunks of rising i. Stops early when a call returns
 * false. Each thread ends with finish(context, no call has returned false so far). Returns false
 * when any of these calls has. One call at a time, from the host thread of the program. */
bool sim_pool_run(uint64_t count, bool (*work)(void *context, uint64_t i),
                  bool (*finish)(void *context, bool succeeded), void *context, bool alone);
