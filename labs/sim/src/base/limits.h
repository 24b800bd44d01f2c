/* The limits that a program sets with cudaDeviceSetLimit(). */
#pragma once

#include "base/device.h"

enum { SIM_LIMITS = cudaLimitPersistingL2CacheSize + 1 };

/* The most shared memory of a block whose kernel has asked for more: SIM_BLOCK_SHARED_OPTIN, unless
 * sim_limit_shared() has made it another device's. */
extern size_t sim_shared_optin;

/* By cudaLimit, in bytes or in pieces. At first they are an H200's. */
extern size_t sim_limits[SIM_LIMITS];
void sim_reset_limits(void);
