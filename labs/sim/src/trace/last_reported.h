/* The accesses that the callbacks of a traced program have reported last. */
#pragma once

#include "base/options.h"

#include <stdbool.h>
#include <stdint.h>

enum { LAST_REPORTED = 4 }; /* a power of 2 */

struct reported_access {
    uintptr_t from, what; /* twice the bytes, and 1 more for a store */
};
extern _Thread_local struct reported_access sim_last_reported[LAST_REPORTED] SIM_HIDDEN;
extern _Thread_local unsigned sim_reported_count SIM_HIDDEN;

static inline __attribute__((always_inline)) void note_reported(const volatile void *at,
                                                                uintptr_t bytes, bool store) {
    struct reported_access *r = &sim_last_reported[sim_reported_count++ % LAST_REPORTED];
    r->from = (uintptr_t)at;
    r->what = bytes * 2 + store;
}
