/* What the runtime knows of each kernel. */
#ifndef SIM_LAUNCH_RECORD_H
#define SIM_LAUNCH_RECORD_H

#include "base/device.h"

struct sim_kernel {
    const void *function; /* NULL: all kernels whose address is not known */
    size_t dynamic_limit; /* bytes of dynamic shared memory that it asked to be allowed; 0: never */
    size_t static_shared; /* bytes of its __shared__ variables, as far as it has met them */
    struct sim_kernel *next;
};

/* The record of a kernel, made when it is new; NULL when out of memory. Hold the device's lock. */
struct sim_kernel *sim_kernel_of(const void *function);

#endif
