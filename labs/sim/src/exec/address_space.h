/* Which memory of the device an address belongs to. */
#pragma once

#include "exec/thread.h"

/* All addresses from `from` to before `to` belong to the same memory as one that was looked up.
 * SIM_MEMORY_NONE: the device has no memory there, as where another thread's stack is, or a
 * variable of the host. Then the range is that one address. */
struct address_space {
    enum sim_memory memory;
    bool is_shared_with_host;
    const char *from, *to;
};

/* The space of an address for the thread that runs on `w`. As on a device, string literals,
 * constant tables and static variables of device functions are in global memory. The arguments of a
 * kernel, which each thread copies to its stack, count as its own. Hold the device's lock. */
struct address_space sim_space_of(const struct worker *w, const char *at);

/* Is the address on the stack of any thread of the block that `w` runs? Each thread's local memory
 * is its own: on a device the same address leads another thread to its own variables. */
bool sim_is_on_any_stack(const struct worker *w, const char *at);
