/* The limits that a program sets with cudaDeviceSetLimit(). */
#ifndef SIM_LIMITS_H
#define SIM_LIMITS_H

#include "base/device.h"

enum { SIM_LIMITS = cudaLimitPersistingL2CacheSize + 1 };

/* By cudaLimit, in bytes or in pieces. At first they are an H200's. */
extern size_t sim_limits[SIM_LIMITS];
void sim_reset_limits(void);

#endif
