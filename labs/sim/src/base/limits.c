#include "base/limits.h"

#include <string.h>

static const size_t at_first[SIM_LIMITS] = {
    [cudaLimitStackSize] = 1024,           [cudaLimitPrintfFifoSize] = 8650752,
    [cudaLimitMallocHeapSize] = 8388608,   [cudaLimitDevRuntimePendingLaunchCount] = 2048,
    [cudaLimitMaxL2FetchGranularity] = 64, [cudaLimitPersistingL2CacheSize] = 11796480,
};

size_t sim_limits[SIM_LIMITS];
size_t sim_shared_optin = SIM_BLOCK_SHARED_OPTIN;

void sim_limit_shared(size_t bytes) {
    sim_shared_optin = bytes ? bytes : SIM_BLOCK_SHARED_OPTIN;
}

void sim_reset_limits(void) {
    memcpy(sim_limits, at_first, sizeof sim_limits);
}

__attribute__((constructor)) static void at_start(void) {
    sim_reset_limits();
}
