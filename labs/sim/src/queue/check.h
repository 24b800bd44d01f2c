/* The checks of asynchrony, in a checked program: what each operation of the queue touches, and
 * which operations that nothing orders touch the same. Hold the queue's lock, and not the
 * device's. All functions accept NULL: the program is not checked. */
#pragma once

#include "queue/clock.h"

/* The operation is about to run, and has run. False: its memory is gone, it must not run. */
bool sim_async_begin(struct sim_async *a);
void sim_async_end(struct sim_async *a);

/* Sets what has to receive the accesses of its kernel, which runs next, if they matter; NULL:
 * nothing. Hold the device's lock alone. */
void sim_async_observe(struct sim_async *a);

/* At the end of the program: reports the work that nothing has waited for. */
void sim_async_report_pending(void);
