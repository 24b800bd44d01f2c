/* The setting `threads` of the labs with OpenMP, for their drivers. */
#pragma once

#include "runner.h"

#include <stdlib.h>

#ifdef _OPENMP
#include <omp.h>
#endif

/* Has OpenMP use that many threads; without the setting, or compiled without OpenMP, as many as it
 * chooses. */
static inline void openmp_threads(const struct runner *r) {
#ifdef _OPENMP
    const int threads = atoi(runner_setting(r, "threads", "0"));
    if (threads > 0) {
        omp_set_num_threads(threads);
    }
#else
    (void)r;
#endif
}
