/* What is recorded of memory accesses: for `./grade ... --step`, the questions of `./grade ask` and
 * the reports. CONVLABS_SIM_STEPS says what:
 *
 *     LAUNCH:X,Y,Z         that block of that launch (from 0): each warp instruction with the
 *                          addresses and values of its lanes, barriers and warp functions, in the
 *                          order in which the simulator ran them
 *     all                  of all blocks, the instructions without the values
 *     costliest            the costliest instruction of each access in the source
 *     store:BYTES:OFFSET   that, and for each launch the last thread that stored to this offset of
 *                          an allocation of so many bytes
 *
 * grader/execute/step_lines.py describes the lines of JSON. */
#pragma once

#include "base/options.h"
#include "exec/thread.h"
#include "profile/profile.h"
#include "profile/warp_replay.h"

/* The running block is recorded or watched for the store. Changes when blocks do. */
extern bool steps_on SIM_HIDDEN;

/* A launch begins, and has ended; a block begins or goes on (then steps_on is set), or others
 * do. */
void steps_launch_begin(const struct sim_config *config);
void steps_launch_end(void);
void steps_block(void);

/* The calls below are for a block with steps_on. ---- The lane of the running thread has passed a
 * mark, or is about to access memory; `readable`: the access does not fail. */
void steps_mark(uint64_t mark, uint32_t pc);
void steps_access(unsigned lane, const void *address, unsigned width, bool store, uint32_t pc,
                  bool readable);

/* One warp instruction of the warp that begins with thread `first`; `before` and `after`: what its
 * site had counted. For an access that is not counted, both are the same. */
void steps_instruction(const struct worker *w, unsigned first, uint64_t code,
                       const struct warp_access *access, const struct profile_counts *before,
                       const struct profile_counts *after);

/* The threads of the block meet at a barrier; lanes of a warp are at a warp function, and then have
 * its results. */
void steps_barrier(const struct worker *w);
void steps_operation(const struct worker *w, unsigned first, unsigned lanes, bool done);
