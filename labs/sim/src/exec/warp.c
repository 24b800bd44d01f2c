/* A lane that reaches an operation waits until all lanes of its mask are there. */
#include "exec/warp.h"

#include "exec/hooks.h"

unsigned sim_lane(void) {
    return sim_worker->current % SIM_WARP_SIZE;
}

/* The calling lane waits at an operation. Returns its thread, which then holds the result. */
static struct thread *take_part(enum warp_operation operation, unsigned mask,
                                unsigned long long value, unsigned from, struct sim_location at) {
    struct thread *me = &sim_worker->thread[sim_worker->current];
    me->operation = operation;
    me->mask = mask;
    me->value = value;
    me->from = from;
    return sim_suspend(AT_WARP, at);
}

unsigned long long sim_warp_shuffle(unsigned mask, unsigned long long value, unsigned from,
                                    const char *file, int line) {
    return take_part(WARP_SHUFFLE, mask, value, from, (struct sim_location){file, line})->value;
}

unsigned sim_warp_ballot(unsigned mask, int predicate, const char *file, int line) {
    struct sim_location at = {file, line};
    return (unsigned)take_part(WARP_BALLOT, mask, predicate != 0, 0, at)->value;
}

void sim_warp_barrier(unsigned mask, const char *file, int line) {
    take_part(WARP_BARRIER, mask, 0, 0, (struct sim_location){file, line});
}

unsigned sim_active_lanes(const char *file, int line) {
    return (unsigned)take_part(WARP_ACTIVE, 0, 0, 0, (struct sim_location){file, line})->value;
}

static bool is_lane(const struct worker *w, unsigned first, unsigned lane) {
    return lane < SIM_WARP_SIZE && first + lane < w->count;
}

/* The lanes that take part in the operation that lane `leader` waits at: those of its mask that
 * have not left the kernel. 0 while one of them has not arrived. */
static unsigned arrived(const struct worker *w, unsigned first, unsigned leader) {
    const struct thread *lead = &w->thread[first + leader];
    unsigned there = 0;
    for (unsigned lane = 0; is_lane(w, first, lane); lane++) {
        const struct thread *it = &w->thread[first + lane];
        if (!(lead->mask >> lane & 1u) || it->state == DONE) {
            continue;
        }
        if (it->state != AT_WARP || it->operation != lead->operation || it->mask != lead->mask) {
            return 0;
        }
        there |= 1u << lane;
    }
    return there >> leader & 1u ? there : 0;
}

/* The mask of a shuffle names lanes that have left the kernel: what it reads from them is
 * undefined. The masks of votes and of __syncwarp() may name such lanes. */
static void report_absent(const struct worker *w, unsigned first, unsigned lanes) {
    const struct thread *leader = &w->thread[first + (unsigned)__builtin_ctz(lanes)];
    for (unsigned lane = 0; is_lane(w, first, lane); lane++) {
        if (!(leader->mask >> lane & 1u) || lanes >> lane & 1u) {
            continue;
        }
        struct sim_finding finding = {.kind = "barrier-divergence",
                                      .kernel = w->config->kernel,
                                      .location = leader->at,
                                      .block = &blockIdx,
                                      .thread = &w->index[first + lane]};
        sim_report_once(&finding,
                        "the mask 0x%08x of this shuffle names lane %u, which never reaches it: "
                        "thread (%u,%u,%u) of block (%u,%u,%u) has left the kernel",
                        leader->mask, lane, w->index[first + lane].x, w->index[first + lane].y,
                        w->index[first + lane].z, blockIdx.x, blockIdx.y, blockIdx.z);
        return;
    }
}

/* Gives each of `lanes` its result and makes it ready. A lane that reads from one outside of the
 * mask gets poison: on the device the value is undefined. */
static void complete(struct worker *w, unsigned first, unsigned lanes,
                     enum warp_operation operation) {
    if (sim_hooks && operation == WARP_BARRIER) {
        sim_hooks->warp_barrier(first, lanes);
    }
    if (operation == WARP_SHUFFLE) {
        report_absent(w, first, lanes);
    }
    unsigned long long values[SIM_WARP_SIZE] = {0};
    unsigned ballot = 0;
    for (unsigned left = lanes; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        values[lane] = w->thread[first + lane].value;
        ballot |= (unsigned)(values[lane] & 1u) << lane;
    }
    for (unsigned left = lanes; left; left &= left - 1) {
        struct thread *it = &w->thread[first + (unsigned)__builtin_ctz(left)];
        if (operation == WARP_BALLOT) {
            it->value = ballot;
        } else if (operation == WARP_ACTIVE) {
            it->value = lanes;
        } else if (operation == WARP_SHUFFLE) {
            it->value = lanes >> it->from & 1u ? values[it->from] : UINT64_MAX;
        }
        it->state = READY;
    }
}

static void complete_what_can_be(struct worker *w, unsigned first) {
    for (unsigned lane = 0; is_lane(w, first, lane); lane++) {
        const struct thread *it = &w->thread[first + lane];
        if (it->state == AT_WARP && it->operation != WARP_ACTIVE) {
            unsigned lanes = arrived(w, first, lane);
            if (lanes) {
                complete(w, first, lanes, it->operation);
            }
        }
    }
}

static bool resume_ready(struct worker *w, unsigned first) {
    bool any = false;
    for (unsigned i = 0; i < SIM_WARP_SIZE && w->failed == cudaSuccess; i++) {
        unsigned lane = w->reversed ? SIM_WARP_SIZE - 1 - i : i;
        if (is_lane(w, first, lane) && w->thread[first + lane].state == READY) {
            sim_resume(w, first + lane);
            any = true;
        }
    }
    if (any && sim_hooks) {
        sim_hooks->warp_waits(w, first);
    }
    return any;
}

/* No other lane can go on: those that wait at the same __activemask() are the active lanes. */
static bool complete_active(struct worker *w, unsigned first) {
    const struct thread *lead = NULL;
    unsigned lanes = 0;
    for (unsigned lane = 0; is_lane(w, first, lane); lane++) {
        const struct thread *it = &w->thread[first + lane];
        if (it->state == AT_WARP && it->operation == WARP_ACTIVE) {
            lead = lead ? lead : it;
            if (it->at.file == lead->at.file && it->at.line == lead->at.line) {
                lanes |= 1u << lane;
            }
        }
    }
    if (lanes) {
        complete(w, first, lanes, WARP_ACTIVE);
    }
    return lanes != 0;
}

void sim_settle_warp(struct worker *w, unsigned first) {
    do {
        do {
            complete_what_can_be(w, first);
        } while (resume_ready(w, first));
    } while (w->failed == cudaSuccess && complete_active(w, first));
}
