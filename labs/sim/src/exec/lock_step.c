#include "exec/lock_step.h"

#include "exec/hooks.h"

#include <stdlib.h>
#include <string.h>

/* A lane spins if it has read the same this often in a row. One that polls several flags reads
 * different things: it gives way after so many reads without a write that changes something, and
 * then sooner. Of loops that write new values, sim_settle_warp() takes care. */
#define REPEATED 32
#define MANY_READS 4096
#define MORE_READS 64

static void reset(struct lock_step *it) {
    position_reset(&it->position);
    it->read = it->written = NULL;
    it->reads = 0;
    it->patience = MANY_READS;
    it->wrote = false;
}

void sim_lock_step_begin(struct worker *w) {
    for (unsigned t = 0; w->stepped && t < w->block.count; t++) {
        if (w->thread[t].lock_step) {
            reset(w->thread[t].lock_step);
        }
    }
}

/* What is known of the running thread; NULL outside of kernels and when out of memory. */
static struct lock_step *mine(struct worker *w) {
    if (w == NULL || w->block.config == NULL) {
        return NULL;
    }
    struct thread *me = &w->thread[w->lane.thread];
    if (me->lock_step == NULL && (me->lock_step = malloc(sizeof *me->lock_step)) != NULL) {
        reset(me->lock_step);
        w->stepped = true;
    }
    return me->lock_step;
}

/* Negative, 0 or positive if `a` goes on before, with or after `b`. Without a mark between them,
 * the order of the code is that of the source. */
static int compare(const struct thread *a, const struct thread *b) {
    int order = a->lock_step && b->lock_step
                    ? position_compare(&a->lock_step->position, &b->lock_step->position)
                    : 0;
    return order != 0 ? order : (a->pc > b->pc) - (a->pc < b->pc);
}

uint32_t sim_foremost(const struct worker *w, unsigned number) {
    const struct thread *first = &w->thread[number * SIM_WARP_SIZE];
    uint32_t left = w->warps[number].in[AT_VOLATILE], lanes = left & -left;
    const struct thread *leader = &first[__builtin_ctz(left)];
    for (left &= left - 1; left; left &= left - 1) {
        const struct thread *it = &first[__builtin_ctz(left)];
        int order = compare(it, leader);
        if (order < 0) {
            leader = it;
            lanes = 0;
        }
        lanes |= order <= 0 ? left & -left : 0;
    }
    return lanes;
}

void sim_wait_for_warp(struct worker *w, const void *pc) {
    struct thread *me = &w->thread[w->lane.thread];
    me->pc = pc;
    sim_wait(w, AT_VOLATILE, (struct sim_location){NULL, 0}, &me->value);
}

/* What is at an address, which the running thread has accessed before: it is valid. */
static uint64_t value_at(const volatile void *address, size_t bytes) {
    uint64_t value = 0;
    memcpy(&value, (const void *)(uintptr_t)address, bytes < sizeof value ? bytes : sizeof value);
    return value;
}

/* Has the running thread waited so often, with no write that changed something, that others run? */
static bool is_long(struct lock_step *me) {
    if (++me->reads < me->patience) {
        return false;
    }
    sim_worker->block.stalled |= me->patience == MORE_READS;
    me->reads = 0;
    me->patience = MORE_READS;
    return true;
}

/* Does the running thread only repeat a read until another one writes? What it reads is looked at
 * from the second time on. */
static bool spins(struct lock_step *me, const volatile void *address, size_t bytes) {
    if (me->read != address) {
        me->read = address;
        me->value = 0;
        me->repeats = 0;
    } else {
        const uint64_t value = value_at(address, bytes);
        me->repeats = value == me->value ? me->repeats + 1 : 0;
        me->value = value;
    }
    if (is_long(me)) {
        return true;
    }
    return me->repeats >= REPEATED;
}

static void before_read(const volatile void *address, size_t bytes, const char *pc) {
    struct worker *w = sim_worker;
    struct lock_step *me = mine(w);
    if (me == NULL || sim_is_on_stack(w, address)) {
        return;
    }
    me->wrote = false;
    if (spins(me, address, bytes)) {
        sim_give_way(pc - 1);
    } else {
        sim_wait_for_warp(w, pc - 1);
    }
}

/* May the running thread's last write have changed something? Not if it repeats one that left what
 * was there, as a loop does that waits for others and stores what it has found so far. */
static bool changes(struct lock_step *me, const volatile void *address, size_t bytes) {
    const bool again = me->written == address;
    const uint64_t value = again ? value_at(address, bytes) : 0;
    const bool same = again && me->looked && value == me->left;
    me->written = address;
    me->looked = again;
    me->left = value;
    return !same;
}

static void before_write(const volatile void *address, size_t bytes, const char *pc) {
    struct worker *w = sim_worker;
    struct lock_step *me = mine(w);
    if (me == NULL || sim_is_on_stack(w, address)) {
        return;
    }
    if (changes(me, address, bytes)) {
        me->reads = 0;
        me->patience = MANY_READS;
    }
    me->wrote = true;
    sim_wait_for_warp(w, pc - 1);
}

void sim_access_together(bool store, const void *pc) {
    struct worker *w = sim_worker;
    struct lock_step *me = mine(w);
    if (me != NULL) {
        me->wrote = store;
        w->block.advanced |= !w->polls[w->lane.thread].stalled;
        sim_wait_for_warp(w, pc);
    }
}

void sim_fence(unsigned place) {
    struct worker *w = sim_worker;
    const char *pc = (const char *)__builtin_return_address(0) - 1;
    if (w == NULL || w->block.config == NULL) {
        return;
    }
    struct lock_step *me = sim_hooks ? NULL : mine(w); /* for a traced one trace/spin.h counts */
    if (me && is_long(me)) {
        sim_give_way(pc);
    } else {
        sim_wait_for_warp(w, place ? (const char *)(uintptr_t)place : pc);
    }
}

/* ---- what the compiled program calls, by the names that lock_step.sed gives */

#define CALLBACKS(width)                                                                           \
    void sim_volatile_read##width(const volatile void *address);                                   \
    void sim_volatile_read##width(const volatile void *address) {                                  \
        before_read(address, width, __builtin_return_address(0));                                  \
    }                                                                                              \
    void sim_volatile_write##width(const volatile void *address);                                  \
    void sim_volatile_write##width(const volatile void *address) {                                 \
        before_write(address, width, __builtin_return_address(0));                                 \
    }
CALLBACKS(1)
CALLBACKS(2)
CALLBACKS(4)
CALLBACKS(8)
CALLBACKS(16)

int sim_lock_step_mark(unsigned long long mark);
int sim_lock_step_mark(unsigned long long mark) {
    struct worker *w = sim_worker;
    struct lock_step *me = mine(w);
    if (me == NULL) {
        return 0;
    }
    position_pass(&me->position, mark);
    const enum sim_mark_kind kind = SIM_KIND_OF(mark);
    if (me->wrote && (kind == SIM_MARK_END || kind == SIM_MARK_RETURN)) {
        me->wrote = false;
        sim_wait_for_warp(w, (const char *)__builtin_return_address(0) - 1);
    }
    return 0;
}
