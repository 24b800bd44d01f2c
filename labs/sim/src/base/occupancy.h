/* How many blocks a multiprocessor of the device holds at once. */
#pragma once

#include "base/device.h"

/* Blocks of `threads` threads (1 to SIM_MAX_THREADS) and `shared` bytes of shared memory, static
 * and dynamic. An upper bound: the number of registers is unknown. */
static inline int sim_blocks_that_fit(int threads, size_t shared) {
    int warps = (threads + SIM_WARP_SIZE - 1) / SIM_WARP_SIZE;
    int by_warps = SIM_MULTIPROCESSOR_WARPS / warps;
    int by_shared = (int)(SIM_MULTIPROCESSOR_SHARED / (shared + SIM_RESERVED_SHARED));
    int most = by_warps < by_shared ? by_warps : by_shared;
    return most < SIM_MULTIPROCESSOR_BLOCKS ? most : SIM_MULTIPROCESSOR_BLOCKS;
}
