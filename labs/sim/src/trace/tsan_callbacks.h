/* The traced build: the student's file is compiled with -fsanitize=thread and
 * -fsanitize-coverage=trace-pc and linked with these callbacks in place of the sanitizer's, so that
 * every access and every basic block of a kernel comes here.
 *
 * The runtime calls the trace_* hooks below whether or not the program is traced; in a plain
 * program they are absent (weak) and cost a test.
 */
#ifndef SIM_TRACE_H
#define SIM_TRACE_H

#include "exec/block.h"

/* A launch begins, whose blocks all run on the calling host thread. */
void trace_launch_begin(const struct sim_config *config) __attribute__((weak));

/* It has ended: its counters are written to the file that CONVLABS_SIM_PROFILE names. */
void trace_launch_end(const struct sim_config *config) __attribute__((weak));

/* A block begins: no thread of it has done anything. */
void trace_block_begin(const struct worker *w) __attribute__((weak));

/* From now on, what is executed is thread `t` of the block. */
void trace_thread(const struct worker *w, unsigned t) __attribute__((weak));

/* All threads of the block have come to a barrier, or have left. */
void trace_barrier(void) __attribute__((weak));

/* These lanes of the warp that begins with thread `first` have met at __syncwarp(). */
void trace_warp_barrier(unsigned first, unsigned lanes) __attribute__((weak));

/* The runtime API has filled `bytes` bytes from the host, or copied them. */
void trace_filled(const void *to, size_t bytes) __attribute__((weak));
void trace_copied(const void *to, const void *from, size_t bytes) __attribute__((weak));

/* No lane of the warp that begins with thread `first` can go on by itself: what they did since the
 * last time is replayed. */
void trace_warp(const struct worker *w, unsigned first) __attribute__((weak));

#endif
