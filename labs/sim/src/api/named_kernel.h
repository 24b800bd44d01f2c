/* Kernels whose address the program passes to the runtime. */
#pragma once

#include "base/device.h"

/* The kernel with this address, or NULL if the program never passed it as a kernel. Hold the
 * device's lock. */
const struct sim_named_kernel *sim_find_named_kernel(const void *function);

/* Launches `config.function` with the values at the addresses in `arguments`, which are read before
 * it returns. `config.kernel` is set. Returns the launch's error, which is also the last error. */
cudaError_t sim_launch_named(struct sim_config config, void *const *arguments);
