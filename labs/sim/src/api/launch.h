/* What the runtime knows of each kernel. */
#pragma once

#include "base/device.h"

struct sim_kernel {
    const void *function; /* or what else tells kernels apart */
    size_t dynamic_limit; /* the dynamic shared memory that it may use, in bytes; 0: the default */
    size_t static_shared; /* the size of its __shared__ variables, as far as it has used them */
    int most_threads;     /* of a block, from __launch_bounds__(); 0: as many as the device takes */
    int carveout; /* percent of shared memory that it prefers, and 1 more; 0: no preference */
    bool known;   /* it has run to its end, so static_shared is right */
    struct sim_kernel *next;
};

/* The record of a kernel, created if it is new; NULL when out of memory. Hold the device's lock. */
struct sim_kernel *sim_kernel_of(const void *function);

/* Has a kernel's limit of dynamic shared memory been raised? */
extern bool sim_any_opted_in;
