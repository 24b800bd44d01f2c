/* One block of a launch, from its first thread to its last, and the barriers in between. */
#pragma once

#include "exec/thread.h"

/* Runs all threads of block number `index`, the last one first if `reversed`. Returns cudaSuccess,
 * or the error that ends the kernel; a finding gives its reason. If the block waits for others,
 * its host thread keeps it for sim_finish_blocks(). */
cudaError_t sim_run_block(const struct sim_config *config, uint64_t index, bool reversed,
                          void (*call)(const void *), const void *closure);

/* Runs the blocks that this host thread has kept to their ends, once it has begun all that it
 * should. */
cudaError_t sim_finish_blocks(const struct sim_config *config);

/* Forgets them: the kernel has failed. */
void sim_forget_blocks(void);
