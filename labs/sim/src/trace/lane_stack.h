/* The stack of the running thread of a kernel, its local memory; NULL and 0 outside of kernels. */
#ifndef SIM_LANE_STACK_H
#define SIM_LANE_STACK_H

#include "base/options.h"

#include <stddef.h>

extern _Thread_local const char *sim_lane_stack SIM_HIDDEN;
extern _Thread_local size_t sim_lane_stack_bytes SIM_HIDDEN;

#endif
