#include "trace/lane_stack.h"

_Thread_local const char *sim_lane_stack;
_Thread_local size_t sim_lane_stack_bytes;
