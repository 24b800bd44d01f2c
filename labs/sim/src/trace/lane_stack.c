#include "trace/lane_stack.h"

_Thread_local struct lane_stack sim_lane_stack;
