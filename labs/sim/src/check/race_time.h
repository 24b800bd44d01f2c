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
