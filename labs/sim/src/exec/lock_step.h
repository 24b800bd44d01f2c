/* Volatile accesses of a warp's lanes, in lock step.
 *
 * Programs from before Volta let the last warp of a reduction add through a volatile pointer and
 * call no __syncwarp(). A device still runs lanes that did not diverge together, so their sum is
 * right. So that it is here, a lane waits before each volatile access for the others: then all of
 * them make it, and then the next one.
 *
 * Before a branch or a function ends, they wait as well if they have just written: what follows may
 * read it through a pointer that is not volatile.
 *
 * The same at a fence: one lane may then give a lock back for all of them.
 *
 * The translator marks the control flow of such functions. A lane that is past a branch or loop
 * waits for those that are still inside, and never the other way round: when no lane of a warp can
 * go on but those that wait here, the foremost ones do. */
#pragma once

#include "exec/lane_position.h"
#include "exec/thread.h"

/* Of a thread that has made a volatile access or passed a mark. */
struct lock_step {
    struct lane_position position;
    const volatile void *read;    /* the address of its last volatile read, */
    uint64_t value;               /* what was there, */
    unsigned repeats;             /* and how often in a row it was the same */
    const volatile void *written; /* the address of its last volatile write, */
    uint64_t left;                /* and what was there before it, if it was looked at: */
    bool looked;
    unsigned reads, patience; /* reads since a write changed something; others run after so many */
    bool wrote;               /* its last volatile access is a write */
};

/* The lanes of warp `number` that go on first among those that wait in AT_VOLATILE. */
uint32_t sim_foremost(const struct worker *w, unsigned number);

/* The running thread waits for its warp at `pc`: threads with a lower one go on first. */
void sim_wait_for_warp(struct worker *w, const void *pc);

/* The running thread of a traced program is about to make a volatile access at `pc`: waits for its
 * warp. */
void sim_access_together(bool store, const void *pc);

/* None of the block's threads has run yet. */
void sim_lock_step_begin(struct worker *w);
