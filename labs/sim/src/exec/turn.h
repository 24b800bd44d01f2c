/* From one thread to the next: inline, because a warp function costs little more than this. */
#ifndef SIM_TURN_H
#define SIM_TURN_H

#include "exec/hooks.h"
#include "exec/warp.h"

static inline void sim_become(struct worker *w, unsigned t) {
    w->current = t;
    w->failures = 0;
    __atomic_store_n(&w->turns, w->turns + 1, __ATOMIC_RELAXED); /* the watch reads it */
    threadIdx = w->index[t];
    if (sim_hooks) {
        sim_hooks->thread(w, t);
    }
}

/* The next lane of a round that is not over. */
static inline unsigned sim_next_lane(const struct worker *w) {
    return w->reversed ? SIM_WARP_SIZE - 1 - (unsigned)__builtin_clz(w->round)
                       : (unsigned)__builtin_ctz(w->round);
}

/* Makes the next thread of the round the running one, if it waits on a stack, or has a stack for
 * it. Returns the stack to switch to: the scheduler's if it must decide. */
static inline struct fiber *sim_successor(struct worker *w) {
    if (w->failed != cudaSuccess || (w->round == 0 && !sim_next_round(w))) {
        return &w->host;
    }
    unsigned lane = sim_next_lane(w), t = w->warp * SIM_WARP_SIZE + lane;
    if (w->warps[w->warp].fresh >> lane & 1u) {
        return w->idle_count ? w->running = w->idle[--w->idle_count] : &w->host;
    }
    w->round &= ~(1u << lane);
    w->running = w->thread[t].fiber;
    sim_become(w, t);
    return w->running;
}

/* The running thread waits in `state` at `at`. Returns when it is resumed. */
static inline __attribute__((always_inline)) struct thread *
sim_wait(struct worker *w, enum thread_state state, struct sim_location at) {
    unsigned t = w->current;
    struct thread *me = &w->thread[t];
    struct fiber *mine = w->running;
    w->busy = true;
    me->at = at;
    me->fiber = mine;
    w->warps[t / SIM_WARP_SIZE].in[state] |= 1u << t % SIM_WARP_SIZE;
    w->progress |= state != SPINNING;
    struct fiber *next = sim_successor(w);
    if (next != mine) {
        fiber_switch(mine, next);
    }
    w->busy = false;
    return me;
}


#endif
