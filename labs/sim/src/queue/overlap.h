/* Do two operations access the same bytes, and one of them writes? Each function returns such a
 * byte, or NULL. */
#pragma once

#include "memory/footprint.h"
#include "queue/operation.h"

const void *ranges_meet(const struct sim_range *a, const struct sim_range *b);
const void *range_meets_footprint(const struct sim_range *range, const struct footprint *f);
