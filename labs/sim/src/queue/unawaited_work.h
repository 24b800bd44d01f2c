/* Work that nothing waits for has to run at last where the host can see what it does: a callback
 * that wakes a thread, a flag in mapped memory. */
#pragma once

/* From now on a thread runs work that has been pending for a while, the oldest first. Hold the
 * queue's lock. */
void sim_start_progress(void);

/* The program ends: what is pending stays so. Hold the queue's lock. */
void sim_stop_progress(void);
