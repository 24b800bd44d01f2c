/* One block of a launch, from its first thread to its last, and the barriers in between. */
#ifndef SIM_BLOCK_H
#define SIM_BLOCK_H

#include "exec/thread.h"

/* Runs all threads of block number `index`, the last one first if `reversed`. Returns cudaSuccess,
 * or the error that ends the kernel; a finding gives its reason. */
cudaError_t sim_run_block(const struct sim_config *config, uint64_t index, bool reversed,
                          void (*call)(const void *), const void *closure);

#endif
