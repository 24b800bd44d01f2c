#include "trace/last_reported.h"

_Thread_local struct reported_access sim_last_reported[LAST_REPORTED];
_Thread_local unsigned sim_reported_count;
