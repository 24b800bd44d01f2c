/* Blocks that wait for others: at a barrier of the grid, or in a loop that repeats a read; or that
 * have run for long.
 *
 * Blocks run one after the other on the stacks of one host thread. A block that cannot go on is
 * parked: what its threads have on their stacks and its shared memory are copied away. Later they
 * are copied back to the same addresses, so that all pointers hold. A grid of 270,000 threads thus
 * needs a few hundred bytes for each, and not a stack. */
#pragma once

#include "exec/thread.h"

struct parked_block {
    struct parked_block *next;
    uint64_t index;          /* of the block */
    enum thread_state state; /* AT_GRID: all threads wait for the grid; SPINNING: some spin;
                              * AT_PRIMARY: some wait for another kernel; AT_BARRIER: they may
                              * go on at once */
    bool open;               /* the barrier of the grid may be passed */
    void *observed;          /* what trace/ keeps of the block */
    struct parked_content *content;
};

/* Parks the running block, as the last of the list of its worker. False when out of memory. */
bool sim_park(struct worker *w);

/* Makes it the running block again, and frees `parked`. */
void sim_unpark(struct worker *w, struct parked_block *parked);

/* Puts it back to the end of the list. */
void sim_park_again(struct worker *w, struct parked_block *parked);

/* Only blocks that wait for the grid are parked. Lets them go on if all blocks of the grid are
 * there. */
bool sim_open_grid(struct worker *w, const struct sim_config *config);

/* Reports that the parked blocks wait forever. */
void sim_report_parked(const struct worker *w, const struct sim_config *config);

/* Frees a list of parked blocks of a kernel that ended early. */
void sim_forget_parked(struct parked_block *list);
