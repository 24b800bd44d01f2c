/* What host code of a checked program has allocated with malloc() and its relatives. */
#pragma once

#include "base/findings.h"

/* It was allocated, or is about to be freed, by the call there. A location without a file: by one
 * that returns to that address, in the program or in a library, whose memory is its own. */
void host_heap_allocated(void *memory, size_t bytes, const void *return_address,
                         struct sim_location location);
/* The bytes from here to the end of the memory that the program has allocated; SIZE_MAX: unknown.
 */
size_t host_heap_room(const void *at);
void host_heap_frees(void *memory, struct sim_location location);
