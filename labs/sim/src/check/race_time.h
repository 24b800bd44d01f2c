/* Where the running thread is in the order of events, and the accesses that certainly race with
 * nothing, which are most: inline. racecheck.h judges all others. */
#pragma once

#include "base/device.h"
#include "base/options.h"
#include "memory/shadow.h"

/* Where the running thread is, written by racecheck.c alone. */
struct race_time {
    uint32_t segment;       /* of the running thread */
    uint32_t quiet;         /* the same while no access in it was part of a race, else UINT32_MAX */
    uint32_t launch_first;  /* the first segment of the launch, */
    uint32_t block_first;   /* of the block, */
    uint32_t barrier_first; /* and after the last barrier of the block */
    uint32_t threads_first; /* the first segment whose thread is known, at most block_first */
    unsigned thread;        /* the running thread's number in the block */
    uint16_t *threads;      /* of each segment, from threads_first */
    uint64_t moment;        /* changes before an access may mean something else: check_again() */
};
extern struct race_time race_time SIM_HIDDEN;

static inline bool race_in_block(struct shadow_event event) {
    return event.segment >= race_time.block_first;
}

/* The thread of an event, in its block. */
static inline unsigned race_owner(struct shadow_event event) {
    return race_time.threads[event.segment - race_time.threads_first];
}

static inline bool race_is_mine(struct shadow_event event) {
    return event.segment == race_time.segment ||
           (race_in_block(event) && race_owner(event) == race_time.thread);
}

/* Records a read. `scope`: reads in segments before it cannot race with anything to come. */
static inline void race_note_read(struct shadow_cell *cell, struct shadow_event me,
                                  uint32_t scope) {
    struct shadow_event last = cell->reads[0];
    if (last.segment == me.segment) {
        return;
    }
    if (last.segment >= scope && !race_is_mine(last)) {
        struct shadow_event far = cell->reads[2];
        bool block = !race_in_block(last);
        bool warp = !block && race_owner(last) / SIM_WARP_SIZE != race_time.thread / SIM_WARP_SIZE;
        if (block || (warp && (race_in_block(far) || far.segment < scope))) {
            cell->reads[2] = last;
        }
        cell->reads[1] = last;
    }
    cell->reads[0] = me;
}

/* Records a read that certainly races with nothing. False: race_access() must decide. `settled`:
 * whatever happened in segments before it is ordered before the running thread. */
static inline bool race_quick_load(struct shadow_cell *cell, uint32_t settled, uint32_t pc) {
    if (cell->reads[0].segment == race_time.quiet) {
        return true; /* this thread read it just before, and no other one ran since */
    }
    if (cell->write.segment >= settled &&
        (cell->write.segment != race_time.quiet || cell->older.segment >= settled)) {
        return false;
    }
    race_note_read(cell, (struct shadow_event){race_time.segment, pc}, settled);
    return true;
}

/* The same for a store. */
static inline bool race_quick_store(struct shadow_cell *cell, uint32_t settled, uint32_t pc) {
    if (cell->older.segment >= settled) {
        return false;
    }
    if (cell->write.segment != race_time.quiet) {
        if (cell->write.segment >= settled || cell->reads[1].segment >= settled ||
            cell->reads[2].segment >= settled ||
            (cell->reads[0].segment >= settled && cell->reads[0].segment != race_time.quiet)) {
            return false;
        }
        cell->write.segment = race_time.segment;
    }
    cell->write.pc = pc;
    return true;
}

/* ---- the same for packed cells */

/* What an access that races with nothing adds to a cell: itself, and, of the reads before it, the
 * last one becomes the last of another thread, and of one farther away. */
enum race_step {
    STEP_READ,
    STEP_READ_OTHER,
    STEP_READ_FAR,
    STEP_STORE,
    STEP_NONE,   /* it adds nothing */
    STEP_UNCLEAR /* it may race with what was before */
};

/* What a form becomes by a step. */
struct race_change {
    uint64_t before; /* the form, and how many segments its last access was before: race_before() */
    uint32_t access; /* pc * 4 + the step; 0: nothing is known */
    uint32_t becomes;
};
#define RACE_CHANGES 4096
extern struct race_change race_changes[RACE_CHANGES] SIM_HIDDEN;

/* Finds out what it becomes. */
void race_step(struct shadow *shadow, size_t i, uint32_t settled, enum race_step step, uint32_t pc);

static inline uint64_t race_before(uint32_t form, uint32_t shift) {
    return (uint64_t)shift << 32 | form;
}

static inline struct race_change *race_change_of(uint64_t before, uint32_t access) {
    return &race_changes[((before >> 27) + before * 5 + access) % RACE_CHANGES];
}

/* The moment of an event of a form whose last access was at `latest`; 0: there was none. */
static inline uint32_t race_moment_of(struct shadow_event event, uint32_t latest) {
    return event.segment ? latest + 1 - event.segment : 0;
}

/* What a load does to a cell of this form; or that it changes nothing, or that it may race. */
static inline __attribute__((always_inline)) enum race_step
race_step_of_load(const struct shadow_cell *form, uint32_t latest, uint32_t settled) {
    const uint32_t me = race_time.segment, quiet = race_time.quiet;
    const uint32_t read = race_moment_of(form->reads[0], latest);
    const uint32_t write = race_moment_of(form->write, latest);
    if (read == quiet) {
        return STEP_NONE;
    }
    if (write >= settled && (write != quiet || race_moment_of(form->older, latest) >= settled)) {
        return STEP_UNCLEAR;
    }
    if (read == me) {
        return STEP_NONE;
    }
    const struct shadow_event last = {read, 0};
    if (read < settled || race_is_mine(last)) {
        return STEP_READ;
    }
    const struct shadow_event far = {race_moment_of(form->reads[2], latest), 0};
    if (!race_in_block(last)) {
        return STEP_READ_FAR;
    }
    const bool same_warp = race_owner(last) / SIM_WARP_SIZE == race_time.thread / SIM_WARP_SIZE;
    const bool moves = !same_warp && (race_in_block(far) || far.segment < settled);
    return moves ? STEP_READ_FAR : STEP_READ_OTHER;
}

/* The same for a store. */
static inline __attribute__((always_inline)) enum race_step
race_step_of_store(const struct shadow_cell *form, uint32_t latest, uint32_t settled, uint32_t pc) {
    const uint32_t me = race_time.segment, quiet = race_time.quiet;
    const uint32_t read = race_moment_of(form->reads[0], latest);
    const uint32_t write = race_moment_of(form->write, latest);
    if (race_moment_of(form->older, latest) >= settled) {
        return STEP_UNCLEAR;
    }
    if (write == quiet) {
        return latest == me && form->write.pc == pc ? STEP_NONE : STEP_STORE;
    }
    const bool settled_reads = race_moment_of(form->reads[1], latest) < settled &&
                               race_moment_of(form->reads[2], latest) < settled &&
                               (read < settled || read == quiet);
    return write < settled && settled_reads ? STEP_STORE : STEP_UNCLEAR;
}

/* A load or a store of a packed cell; false: it may race. `only_known`: false also if race_step()
 * must be called. */
static inline __attribute__((always_inline)) bool race_quick_packed(struct shadow *shadow, size_t i,
                                                                    bool store, uint32_t settled,
                                                                    uint32_t pc, bool only_known) {
    struct shadow_packed *packed = &shadow->packed[i];
    const uint32_t latest = packed->latest;
    enum race_step step = store ? STEP_STORE : STEP_READ;
    uint64_t before = 0;
    if (latest >= settled) {
        const struct shadow_cell *form = &shadow_forms[packed->form];
        step = store ? race_step_of_store(form, latest, settled, pc)
                     : race_step_of_load(form, latest, settled);
        if (step >= STEP_NONE) {
            return step == STEP_NONE;
        }
        before = race_before(packed->form, race_time.segment - latest);
    }
    const uint32_t access = pc * 4 + step;
    const struct race_change *c = race_change_of(before, access);
    if (__builtin_expect(c->before != before || c->access != access, false)) {
        if (!only_known) {
            race_step(shadow, i, settled, step, pc);
        }
        return !only_known;
    }
    *packed = (struct shadow_packed){race_time.segment, c->becomes};
    return true;
}
