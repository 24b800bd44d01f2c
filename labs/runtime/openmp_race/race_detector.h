/* The check for data races between OpenMP threads in C: this folder replaces gcc's own OpenMP
 * runtime in a program whose memory accesses gcc has instrumented (-fsanitize=thread).
 *
 * team.c runs the threads of a team one at a time: each until it ends, reaches a barrier, or comes
 * to the next chunk of a loop, a task, a lock or an atomic access; then another one runs.
 * race_detector.c is called for every access and keeps, for each byte, which thread wrote it and
 * which read it since the last synchronization of the whole team; of tasks, order.c knows which
 * come one after the other. Two threads access the same byte, at least one
 * of them writes, and no barrier, lock or atomic access orders the two: that is a data race,
 * whatever happened in this run, on however many cores and in whatever order. Each race is a
 * finding in the evidence (evidence/evidence.h).
 *
 * When a graded run ends, the evidence says what the threads of all teams did:
 * {"largest":3,"written":[4123,4090,4090],"read":912345}, the size of the largest team (1: there
 * was none), the bytes that each thread wrote and those that all read, outside of their own stacks.
 * The threads take turns, so these are the same in every run.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* From now on this thread of the team runs; -1: no team runs, and no access is checked. */
void race_thread_runs(int thread);

/* The calling thread's part in a team begins in `frame`, its own stack frame. What it writes to its
 * stack from here on is work for itself: it does not count as written. */
void race_thread_begins(const void *frame);

/* A team of `size` threads starts. */
void race_team_starts(unsigned size);

/* All accesses so far happen before all that follow: a team starts, ends, or is at a barrier. */
void race_synchronize(void);

/* The stack below the caller's frame is used for something else from now on: a task begins or ends,
 * and what another one left there is in no race with it. */
void race_stack_is_new(void);

/* From now on `others_first` is called before an atomic access and by race_before_lock(). */
void race_switches_with(void (*others_first)(void));

/* The running thread is about to take a lock: others may run first, unless it holds one. */
void race_before_lock(void);

/* The running thread has acquired a lock (1) or released one (-1). */
void race_lock_count(int change);
