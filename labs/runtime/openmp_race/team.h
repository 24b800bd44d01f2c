/* What the files of the OpenMP runtime share: gomp.c, tasks.c and omp_calls.c. */
#pragma once

#include <stdbool.h>

enum { MAX_THREADS = 256, DEFAULT_THREADS = 4 };

extern unsigned threads_to_start; /* of a region that does not say how many */

/* Is the caller one of several threads of a team? In a region inside a region it is alone. */
bool in_team(void);

/* The caller's number in its team, and the number of its threads. */
int team_thread(void);
unsigned team_size(void);

/* Does a region of several threads run, and in how many regions is the caller? */
bool in_region(void);
int region_depth(void);

/* The other threads run before this one goes on. */
void others_run(void);

/* A task was created: threads that wait at a barrier look for it. */
void wake_waiting(void);

/* Runs a task that is queued, if there is one. */
bool run_any_task(void);

/* A barrier is passed: the tasks of this thread have all ended. */
void forget_tasks(void);

/* Does the caller run a task all of whose tasks run at once? */
bool in_final_task(void);
