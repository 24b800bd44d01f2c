/* A lane that reaches an operation waits until all lanes of its mask are there. The last lane of a
 * round completes the operation for all of them (complete()). */
#include "exec/warp.h"

#include "exec/lock_step.h"

#include <string.h>

static const char *name_of(enum sim_warp_operation operation) {
    return operation == SIM_WARP_BARRIER   ? "__syncwarp"
           : operation == SIM_WARP_BALLOT  ? "vote"
           : operation == SIM_WARP_SHUFFLE ? "shuffle"
                                           : NULL;
}

/* The running lane calls an operation whose mask does not name it, which is undefined. A device
 * does what its instruction does, which has no mask: the lanes that come to it together take part.
 * Nobody waits for this one, and it waits for nobody. */
static __attribute__((noinline)) void report_outside(const struct worker *w,
                                                     enum sim_warp_operation operation,
                                                     unsigned mask, struct sim_location at) {
    sim_report_once(&(struct sim_finding){.found = FOUND_OUTSIDE_MASK,
                                          .kernel = w->block.config->kernel,
                                          .location = at,
                                          .block = &blockIdx,
                                          .thread = &threadIdx,
                                          .value = w->lane.thread % SIM_WARP_SIZE,
                                          .mask = mask,
                                          .text = name_of(operation)});
}

/* The running lane is at an operation: notes it in the group of its mask. */
static inline void join(struct warp *warp, enum sim_warp_operation operation, unsigned mask,
                        uint32_t bit) {
    struct warp_group *group = &warp->group[__builtin_ctz(mask)];
    if (group->there == 0) {
        group->mask = mask;
        group->operation = operation;
    } else if (group->mask != mask || group->operation != operation) {
        warp->mixed = true;
    }
    group->there |= bit;
    if (group->there == (mask & warp->lanes & ~warp->in[DONE])) {
        warp->complete |= 1u << __builtin_ctz(mask);
    }
}

/* The running lane takes part in an operation. Returns its result. */
static inline __attribute__((always_inline)) unsigned long long
take_part(struct worker *w, enum sim_warp_operation operation, unsigned mask,
          unsigned long long value, unsigned from, const char *file, int line) {
    uint32_t bit = 1u << w->lane.thread % SIM_WARP_SIZE;
    struct thread *me = &w->warp.lanes[w->lane.thread % SIM_WARP_SIZE];
    me->operation = operation;
    me->mask = mask;
    me->value = value;
    me->from = from;
    if (operation != SIM_WARP_ACTIVE && !(mask & bit)) {
        report_outside(w, operation, mask, (struct sim_location){file, line});
        if (operation == SIM_WARP_BARRIER) {
            return 0;
        }
        w->warp.state->mixed = true;
    } else if (operation != SIM_WARP_ACTIVE) {
        join(w->warp.state, operation, mask, bit);
    }
    return sim_wait(w, AT_WARP, (struct sim_location){file, line}, &me->value);
}

unsigned long long sim_warp(enum sim_warp_operation operation, unsigned mask,
                            unsigned long long value, unsigned from, const char *file, int line) {
    return take_part(sim_worker, operation, mask, value, from, file, line);
}

/* The lane that the running lane reads from. */
static unsigned source(enum sim_shuffle_kind how, unsigned lane, unsigned operand, unsigned width) {
    unsigned inside = lane & (width - 1);
    switch (how) {
    case SIM_SHUFFLE_UP:
        return inside >= operand ? lane - operand : lane;
    case SIM_SHUFFLE_DOWN:
        return operand < width - inside ? lane + operand : lane;
    case SIM_SHUFFLE_XOR: {
        unsigned from = (lane ^ operand) & (SIM_WARP_SIZE - 1);
        return from <= (lane | (width - 1)) ? from : lane; /* never from a later segment */
    }
    default:
        return (lane & ~(width - 1)) | (operand & (width - 1));
    }
}

unsigned long long sim_warp_shuffle(unsigned mask, unsigned long long value, unsigned shape,
                                    unsigned operand, const char *file, int line) {
    struct worker *w = sim_worker;
    unsigned from = source((enum sim_shuffle_kind)(shape >> 8), w->lane.thread % SIM_WARP_SIZE,
                           operand, shape & 0xff);
    return take_part(w, SIM_WARP_SHUFFLE, mask, value, from, file, line);
}

void sim_warp_collect(unsigned mask, const void *value, size_t bytes, void *all, size_t stride,
                      const char *file, int line) {
    struct worker *w = sim_worker;
    unsigned first = w->lane.thread / SIM_WARP_SIZE * SIM_WARP_SIZE;
    memcpy(w->offered[w->lane.thread], value, bytes);
    unsigned lanes = (unsigned)take_part(w, SIM_WARP_COLLECT, mask, bytes, 0, file, line);
    for (unsigned left = lanes; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        memcpy((char *)all + lane * stride, w->collected[first + lane], bytes);
    }
}

/* The lanes that take part in the operation that lane `leader` waits at: those of its mask that
 * have not left the kernel. 0 while one of them has not arrived. */
static unsigned arrived(const struct worker *w, unsigned number, unsigned leader) {
    const struct warp *warp = &w->warps[number];
    const struct thread *lead = &w->thread[number * SIM_WARP_SIZE + leader];
    uint32_t expected = lead->mask & warp->lanes & ~warp->in[DONE];
    if (expected & ~warp->in[AT_WARP]) {
        return 0;
    }
    for (uint32_t left = expected; left; left &= left - 1) {
        const struct thread *it =
            &w->thread[number * SIM_WARP_SIZE + (unsigned)__builtin_ctz(left)];
        if (it->operation != lead->operation || it->mask != lead->mask) {
            return 0;
        }
    }
    return expected;
}

/* Does the lane wait for no other? At __activemask(), and where the mask does not name it. */
static bool waits_for_nobody(const struct thread *it, unsigned lane) {
    return it->operation == SIM_WARP_ACTIVE || !(it->mask >> lane & 1u);
}

/* The lanes that wait for no other, at the same call as this thread. */
static uint32_t come_along(const struct worker *w, unsigned number, const struct thread *lead) {
    uint32_t lanes = 0;
    for (uint32_t left = w->warps[number].in[AT_WARP]; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        const struct thread *it = &w->thread[number * SIM_WARP_SIZE + lane];
        if (waits_for_nobody(it, lane) && it->operation == lead->operation &&
            it->at.file == lead->at.file && it->at.line == lead->at.line) {
            lanes |= 1u << lane;
        }
    }
    return lanes;
}

/* The mask of a shuffle names lanes that have left the kernel: what it reads from them is
 * undefined. The masks of votes and of __syncwarp() may name such lanes. */
static void report_absent(const struct worker *w, unsigned number, uint32_t lanes,
                          uint32_t absent) {
    unsigned first = number * SIM_WARP_SIZE, lane = (unsigned)__builtin_ctz(absent);
    const struct thread *leader = &w->thread[first + (unsigned)__builtin_ctz(lanes)];
    sim_report_once(&(struct sim_finding){.found = FOUND_ABSENT_LANE,
                                          .kernel = w->block.config->kernel,
                                          .location = leader->at,
                                          .block = &blockIdx,
                                          .thread = &w->index[first + lane],
                                          .value = lane,
                                          .mask = leader->mask});
}

/* Each of `lanes` reads from its lane `from`. A lane that reads from one outside of the mask gets
 * poison: on the device the value is undefined. */
static void shuffle(struct thread *first, uint32_t lanes) {
    unsigned long long values[SIM_WARP_SIZE];
    if (lanes == UINT32_MAX) { /* as most are: no lane depends on the one before */
        for (unsigned lane = 0; lane < SIM_WARP_SIZE; lane++) {
            values[lane] = first[lane].value;
        }
        for (unsigned lane = 0; lane < SIM_WARP_SIZE; lane++) {
            first[lane].value = values[first[lane].from % SIM_WARP_SIZE];
        }
        return;
    }
    for (unsigned lane = 0; lane < SIM_WARP_SIZE; lane++) {
        values[lane] = UINT64_MAX;
    }
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        values[lane] = first[lane].value;
    }
    for (uint32_t left = lanes; left; left &= left - 1) {
        struct thread *it = &first[__builtin_ctz(left)];
        it->value = values[it->from % SIM_WARP_SIZE];
    }
}

/* The lanes among `lanes` that pass the same value as this lane. */
static uint32_t equal_to(const struct thread *first, uint32_t lanes, unsigned long long value) {
    uint32_t same = 0;
    for (unsigned lane = 0; lane < SIM_WARP_SIZE; lane++) {
        same |= (uint32_t)(first[lane].value == value) << lane;
    }
    return same & lanes;
}

static void match_any(struct thread *first, uint32_t lanes) {
    uint32_t left = lanes;
    while (left) {
        uint32_t same = equal_to(first, left, first[__builtin_ctz(left)].value);
        for (uint32_t i = same; i; i &= i - 1) {
            first[__builtin_ctz(i)].value = same;
        }
        left &= ~same;
    }
}

/* Combines the values of two lanes. */
static unsigned long long combine(enum sim_warp_operation operation, unsigned long long a,
                                  unsigned long long b) {
    switch (operation) {
    case SIM_WARP_ADD:
        return a + b;
    case SIM_WARP_MIN:
        return a < b ? a : b;
    case SIM_WARP_MAX:
        return a > b ? a : b;
    case SIM_WARP_SIGNED_MIN:
        return (long long)a < (long long)b ? a : b;
    case SIM_WARP_SIGNED_MAX:
        return (long long)a > (long long)b ? a : b;
    case SIM_WARP_AND:
        return a & b;
    case SIM_WARP_OR:
        return a | b;
    default:
        return a ^ b;
    }
}

/* One result for all lanes. */
static unsigned long long common_result(const struct worker *w, const struct thread *first,
                                        uint32_t lanes, enum sim_warp_operation operation) {
    unsigned long long result = first[__builtin_ctz(lanes)].value;
    uint32_t rest = lanes & (lanes - 1);
    switch (operation) {
    case SIM_WARP_BALLOT:
        return lanes & ~equal_to(first, lanes, 0);
    case SIM_WARP_MATCH_ALL:
        return equal_to(first, lanes, result) == lanes ? lanes : 0;
    case SIM_WARP_COLLECT:
        for (uint32_t left = lanes; left; left &= left - 1) {
            size_t t = (size_t)(first - w->thread) + (size_t)__builtin_ctz(left);
            memcpy(sim_worker->collected[t], w->offered[t], (size_t)result);
        }
        return lanes;
    case SIM_WARP_BARRIER:
    case SIM_WARP_ACTIVE:
        return lanes;
    default:
        for (; rest; rest &= rest - 1) {
            result = combine(operation, result, first[__builtin_ctz(rest)].value);
        }
        return result;
    }
}

/* Gives each of `lanes` its result and makes it ready. */
static void complete(struct worker *w, unsigned number, uint32_t lanes) {
    struct warp *warp = &w->warps[number];
    struct thread *first = &w->thread[number * SIM_WARP_SIZE];
    const struct thread *leader = &first[__builtin_ctz(lanes)];
    enum sim_warp_operation operation = leader->operation;
    w->ordered++;
    if (sim_hooks) {
        sim_hooks->warp_operation(w, number * SIM_WARP_SIZE, lanes, false);
    }
    if (operation == SIM_WARP_SHUFFLE) {
        uint32_t absent = leader->mask & warp->lanes & ~lanes;
        if (absent && leader->mask & lanes) {
            report_absent(w, number, lanes, absent);
        }
        shuffle(first, lanes);
    } else if (operation == SIM_WARP_MATCH_ANY) {
        match_any(first, lanes);
    } else if (operation != SIM_WARP_BARRIER) {
        unsigned long long result = common_result(w, first, lanes, operation);
        for (uint32_t left = lanes; left; left &= left - 1) {
            first[__builtin_ctz(left)].value = result;
        }
    }
    warp->waited |= warp->waited & lanes ? lanes : 0;
    if (sim_hooks) {
        sim_hooks->warp_operation(w, number * SIM_WARP_SIZE, lanes, true);
    }
    warp->in[AT_WARP] &= ~lanes;
    warp->in[READY] |= lanes;
}

/* Lanes with contradicting masks wait, or a lane has left: compares all of them. */
static void complete_mixed(struct worker *w, unsigned number) {
    struct warp *warp = &w->warps[number];
    for (uint32_t left = warp->in[AT_WARP]; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        bool waits = warp->in[AT_WARP] >> lane & 1u;
        const struct thread *it = &w->thread[number * SIM_WARP_SIZE + lane];
        if (waits && !waits_for_nobody(it, lane)) {
            uint32_t lanes = arrived(w, number, lane);
            if (lanes) {
                complete(w, number, lanes | come_along(w, number, it));
            }
        }
    }
    if (warp->in[AT_WARP] == 0) {
        memset(warp->group, 0, sizeof warp->group);
        warp->complete = 0;
        warp->mixed = false;
    }
}

static void complete_what_can_be(struct worker *w, unsigned number) {
    struct warp *warp = &w->warps[number];
    if (warp->mixed) {
        complete_mixed(w, number);
        return;
    }
    for (; warp->complete; warp->complete &= warp->complete - 1) {
        struct warp_group *group = &warp->group[__builtin_ctz(warp->complete)];
        uint32_t lanes = group->there;
        group->there = 0;
        complete(w, number, lanes);
    }
}

/* Of a warp before others run: it may wait for them in a loop that writes, */
#define MAX_STEPS 16384
/* or in one with warp functions: so many turns of its lanes, with so many atomic functions that
 * changed nothing. */
#define TURNS 16384
#define MANY_TRIES 64

/* No other lane can go on: those do that wait before the foremost volatile access. Returns false if
 * there are none, or if it is the turn of other warps. */
static bool step(struct worker *w, unsigned number) {
    struct warp *warp = &w->warps[number];
    if (warp->in[AT_VOLATILE] == 0 || w->warp.steps >= MAX_STEPS) {
        return false;
    }
    w->warp.steps++;
    uint32_t lanes = sim_foremost(w, number);
    warp->in[AT_VOLATILE] &= ~lanes;
    warp->in[READY] |= lanes;
    return true;
}

bool sim_next_round(struct worker *w) {
    struct warp *warp = &w->warps[w->warp.number];
    if (sim_hooks || warp->mixed || w->turns >= w->warp.last_turn) {
        return false;
    }
    if (warp->complete) {
        complete_what_can_be(w, w->warp.number);
    } else if (!step(w, w->warp.number)) {
        return false;
    }
    w->warp.round = warp->in[READY];
    warp->in[READY] = 0;
    return true;
}

/* No other lane can go on: one that waits for nobody does, with those at the same call. */
static bool complete_active(struct worker *w, unsigned number) {
    for (uint32_t left = w->warps[number].in[AT_WARP]; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        const struct thread *it = &w->thread[number * SIM_WARP_SIZE + lane];
        if (waits_for_nobody(it, lane)) {
            complete(w, number, come_along(w, number, it));
            return true;
        }
    }
    return false;
}

/* Has the warp run for long, and only tried in vain? One of its lanes may ask for a lock, and tell
 * the others by a shuffle: it would do so forever while the holder waits. */
static bool must_give_way(struct worker *w, struct warp *warp) {
    if (w->turns < w->warp.last_turn || !warp->in[READY]) {
        return false;
    }
    const bool is_vain = w->warp.vain >= MANY_TRIES;
    w->warp.last_turn = w->turns + TURNS;
    w->warp.vain = 0;
    return is_vain;
}

void sim_begin_warp(struct worker *w, unsigned number) {
    if (w->warps[number].in[READY]) {
        w->warp.last_turn = 0; /* no other round */
        sim_run_round(w, number);
    }
}

/* Lanes that wait at a fence, or before a volatile access, may go on together with others behind
 * the branch that it is in: until then, or until other warps run, trace/ replays nothing. */
static void tell(const struct worker *w, unsigned number, bool others_run) {
    const bool soon = w->warps[number].in[AT_VOLATILE] != 0;
    if (sim_hooks && (soon || !others_run)) {
        sim_hooks->warp_waits(w, number * SIM_WARP_SIZE, soon && !others_run);
    }
}

/* Runs the lanes until none can go on, or it is the turn of other warps. */
static void settle(struct worker *w, unsigned number) {
    struct warp *warp = &w->warps[number];
    do {
        do {
            if (warp->in[READY]) {
                sim_run_round(w, number);
                tell(w, number, false);
            }
            complete_what_can_be(w, number);
            if (must_give_way(w, warp)) {
                warp->in[SPINNING] |= warp->in[READY];
                warp->in[READY] = 0;
                w->block.stalled = true;
                return;
            }
        } while (w->block.failed == cudaSuccess && (warp->in[READY] || step(w, number)));
    } while (w->block.failed == cudaSuccess && !warp->in[AT_VOLATILE] &&
             complete_active(w, number));
}

void sim_settle_warp(struct worker *w, unsigned number) {
    w->warp.steps = w->warp.vain = 0;
    w->warp.last_turn = w->turns + TURNS;
    settle(w, number);
    tell(w, number, true);
}
