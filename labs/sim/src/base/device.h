/* base/: what every layer of the runtime builds on. It calls nothing of the layers below.
 *
 * This header: the types of the runtime API, and the device that the simulator stands for, an H200:
 * the one on which its numbers were measured. */
#pragma once

#define SIM_RUNTIME
#include "cuda_runtime_api.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* sim/abi.h has SIM_WARP_SIZE, SIM_BLOCK_SHARED and SIM_CONSTANT_BYTES. */
#define SIM_MAX_THREADS 1024 /* of a block */
#define SIM_MULTIPROCESSORS 132
#define SIM_MULTIPROCESSOR_WARPS 64
#define SIM_MULTIPROCESSOR_BLOCKS 32
#define SIM_MULTIPROCESSOR_SHARED ((size_t)228 * 1024)
#define SIM_BLOCK_SHARED_OPTIN ((size_t)227 * 1024) /* of a block that has asked for more */
#define SIM_RESERVED_SHARED ((size_t)1024)          /* that the system reserves in each block */
#define SIM_GLOBAL_BYTES ((size_t)150109880320)

#define SIM_POISON 0xff /* NaN as a float, -1 as an int */
