/* The stack of the running thread of a kernel, its local memory; NULL and 0 outside of kernels. */
#pragma once

#include "base/options.h"

#include <stddef.h>

/* access_calls.S reads it. */
struct lane_stack {
    const char *from;
    size_t bytes;
};
extern _Thread_local struct lane_stack sim_lane_stack SIM_HIDDEN;
