/* The check for races between the threads of OpenMP in C: two files that take the place of gcc's
 * own OpenMP runtime in a program whose accesses gcc has instrumented (-fsanitize=thread).
 *
 * team.c runs the threads of a team one at a time: each to its end, to a barrier or to the next
 * chunk of a loop, and then another. race.c is told of every access and keeps, for each byte, who
 * wrote and who read it since the team last met. Two threads at one byte, one of them writing, and
 * neither ordered by a barrier, a lock nor an atomic access, are a race: whatever happened this
 * time, on however many cores, in whatever order.
 */
#ifndef CONVLABS_RACE_H
#define CONVLABS_RACE_H

#include <stdbool.h>
#include <stddef.h>

/* The thread that runs from now on, a number of its team; -1: no team is at work. */
void race_runs(int thread);

/* All that was done so far comes before all that follows: a team begins, ends, or meets. */
void race_meets(void);

/* The running thread holds one lock more (1) or one less (-1). */
void race_locks(int change);

#endif
