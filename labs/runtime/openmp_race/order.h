/* Which of a team's accesses come before which: for the check of races (race_detector.h).
 *
 * A strand is what one thread or one task does in its order. It consists of parts: a new one begins
 * where it creates a task, because the task comes after what was done before, and not after what
 * follows. A clock says for each strand which part is the last that surely came before. Between two
 * synchronizations of the whole team, parts have numbers from 1 on; after one, all is known.
 */
#pragma once

#include <stdbool.h>

struct clock {
    unsigned known; /* strands that it has an entry for */
    unsigned *last; /* of each: the last part that came before; 0: none */
};
struct strand {
    unsigned number, part;
    struct clock before;
};

/* All that was done so far comes before all that follows, in a team of `threads`. */
void order_restart(unsigned threads);

/* The part that thread `thread` is in. */
unsigned order_now(int thread);

/* Did the part come before what thread `thread` does now? What one thread does is in order, also
 * where it runs one task after the other: which memory it uses may depend on its number. */
bool order_before(unsigned part, int thread);

/* The thread that the part belongs to. */
int order_thread_of(unsigned part);

/* A strand for a task that `thread` creates now; NULL when there are too many. */
struct strand *order_fork(int thread);

/* `thread` goes on with this strand; NULL: with its own. Returns the one that it had. */
struct strand *order_switch(int thread, struct strand *strand);

/* The clock includes all that was done in the strand, and before it. */
void order_include(struct clock *clock, const struct strand *strand);

/* What the clock includes comes before what `thread` does from now on. */
void order_learn(int thread, const struct clock *clock);
