/* What host code of a checked program has allocated with malloc() and its relatives. */
#pragma once

#include "base/findings.h"

/* It was allocated, or is about to be freed, by the call there. */
void host_heap_allocated(void *memory, size_t bytes, struct sim_location location);
void host_heap_frees(void *memory, struct sim_location location);
