/* OpenMP's tasks, for those who wait for them. */
#pragma once

#include <stdbool.h>

/* Runs a task that is queued, if there is one. */
bool run_any_task(void);

/* A barrier is passed: the tasks of this thread have all ended. */
void forget_tasks(void);

/* Does the caller run a task all of whose tasks run at once? */
bool in_final_task(void);
