#include "check/racecheck.h"

#include "check/race_time.h"

#include <stdlib.h>
#include <string.h>

/* The blocks that have published their writes by a fence and an atomic function on one address. */
struct publication {
    const void *address;
    uint32_t *blocks; /* their first segments, ascending */
    size_t count, capacity;
    uint32_t in_block;  /* the first segment of the block that `released` is of */
    uint32_t *released; /* the segment in which each of its threads has last done so; 0: never */
    struct publication *next;
};

#define HELD 4 /* addresses that a thread is remembered to have acquired, the last ones */

/* An address that a thread has acquired from others of its block, and when. */
struct acquisition {
    const struct publication *from;
    uint32_t segment;
};

#define PUBLISHED 256

struct race_time race_time;
struct race_change race_changes[RACE_CHANGES];

static struct {
    uint32_t *starts; /* the first segment of each block so far */
    size_t blocks, blocks_capacity;
    size_t threads_capacity;
    uint32_t
        warp_first[SIM_MAX_THREADS / SIM_WARP_SIZE]; /* after the last __syncwarp() of all lanes */
    struct {
        uint32_t lanes, first;
    } partial[SIM_MAX_THREADS]; /* and the last one of each thread that named only some lanes */
    uint32_t fenced;            /* the segment of the last fence of the running thread */
    struct publication *published[PUBLISHED]; /* by address */
    bool any_published;
    const struct publication *acquired[4]; /* by the running block */
    unsigned acquired_count;
    struct acquisition held[SIM_MAX_THREADS][HELD]; /* by each thread of the block */
    bool any_held;
} now;

static bool make_room(void **array, size_t count, size_t *capacity, size_t size) {
    if (count <= *capacity) {
        return true;
    }
    size_t larger = *capacity ? *capacity * 2 : 1024;
    void *moved = realloc(*array, (larger < count ? count : larger) * size);
    if (moved != NULL) {
        *array = moved;
        *capacity = larger < count ? count : larger;
    }
    return moved != NULL;
}

static void forget_held(void) {
    if (now.any_held) {
        memset(now.held, 0, sizeof now.held);
        now.any_held = false;
    }
}

void race_launch(void) {
    race_time.launch_first = race_time.segment + 1;
    race_time.block_first = race_time.barrier_first = race_time.launch_first;
    now.blocks = 0;
    for (unsigned i = 0; now.any_published && i < PUBLISHED; i++) {
        while (now.published[i]) {
            struct publication *old = now.published[i];
            now.published[i] = old->next;
            free(old->blocks);
            free(old->released);
            free(old);
        }
    }
    now.any_published = false;
    now.acquired_count = 0;
    forget_held();
}

void race_block(void) {
    race_time.block_first = race_time.barrier_first = race_time.segment + 1;
    now.fenced = 0;
    now.acquired_count = 0;
    memset(now.warp_first, 0, sizeof now.warp_first);
    memset(now.partial, 0, sizeof now.partial);
    forget_held();
    if (make_room((void **)&now.starts, now.blocks + 1, &now.blocks_capacity, sizeof *now.starts)) {
        now.starts[now.blocks++] = race_time.block_first;
    }
}

void race_thread(unsigned t) {
    race_time.quiet = ++race_time.segment;
    race_time.thread = t;
    size_t index = race_time.segment - race_time.block_first;
    if (make_room((void **)&race_time.threads, index + 1, &now.threads_capacity,
                  sizeof *race_time.threads)) {
        race_time.threads[index] = (uint16_t)t;
    }
}

void race_barrier(void) {
    race_time.barrier_first = race_time.segment + 1;
}

void race_warp_barrier(unsigned first, uint32_t lanes) {
    if (lanes == UINT32_MAX) {
        now.warp_first[first / SIM_WARP_SIZE] = race_time.segment + 1;
        return;
    }
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned t = first + (unsigned)__builtin_ctz(left);
        now.partial[t].lanes = lanes;
        now.partial[t].first = race_time.segment + 1;
    }
}

void race_fence(void) {
    now.fenced = race_time.segment;
}

/* The list that holds what was published at an address. */
static struct publication **published_at(const void *address) {
    uintptr_t number = (uintptr_t)address >> 2;
    return &now.published[(number ^ number >> 8) % PUBLISHED];
}

static struct publication *publication_of(const void *address, bool create) {
    struct publication **first = published_at(address), *p = *first;
    while (p && p->address != address) {
        p = p->next;
    }
    if (p == NULL && create && (p = calloc(1, sizeof *p)) != NULL) {
        p->address = address;
        p->next = *first;
        *first = p;
        now.any_published = true;
    }
    return p;
}

static void acquire(const struct publication *p) {
    for (unsigned i = 0; i < now.acquired_count; i++) {
        if (now.acquired[i] == p) {
            return;
        }
    }
    if (now.acquired_count < sizeof now.acquired / sizeof *now.acquired) {
        now.acquired[now.acquired_count++] = p;
    }
}

static void publish(struct publication *p) {
    bool again = p->count && p->blocks[p->count - 1] == race_time.block_first;
    if (!again && make_room((void **)&p->blocks, p->count + 1, &p->capacity, sizeof *p->blocks)) {
        p->blocks[p->count++] = race_time.block_first;
    }
}

/* The running thread publishes what it did for the other threads of its block, as one that gives a
 * lock back. */
static void publish_in_block(struct publication *p) {
    if (p->released == NULL) {
        p->released = calloc(SIM_MAX_THREADS, sizeof *p->released);
    } else if (p->in_block != race_time.block_first) {
        memset(p->released, 0, SIM_MAX_THREADS * sizeof *p->released);
    }
    p->in_block = race_time.block_first;
    if (p->released) {
        p->released[race_time.thread] = race_time.segment;
    }
}

/* The running thread acquires it, as one that takes the lock. */
static void acquire_in_block(const struct publication *p) {
    struct acquisition *held = now.held[race_time.thread], *it = held;
    while (it < held + HELD - 1 && it->from != p) {
        it++;
    }
    memmove(held + 1, held, (size_t)(it - held) * sizeof *held);
    *held = (struct acquisition){p, race_time.segment};
    now.any_held = true;
}

/* Has the running thread acquired what the thread of this event, of the same block, published
 * after it? */
static bool is_acquired_in_block(struct shadow_event event) {
    const struct acquisition *held = now.held[race_time.thread];
    for (unsigned i = 0; now.any_held && i < HELD && held[i].from; i++) {
        const struct publication *p = held[i].from;
        if (event.segment <= held[i].segment && p->in_block == race_time.block_first &&
            p->released && p->released[race_owner(event)] >= event.segment) {
            return true;
        }
    }
    return false;
}

void race_atomic(const void *address, enum race_access how) {
    if (!now.fenced && !now.any_published) {
        return;
    }
    struct publication *p = publication_of(address, now.fenced && how != RACE_LOAD);
    if (p && p->count && how != RACE_STORE) {
        acquire(p);
    }
    if (p && p->released && p->in_block == race_time.block_first && how != RACE_STORE) {
        acquire_in_block(p);
    }
    if (p && now.fenced && how != RACE_LOAD) {
        publish(p);
        publish_in_block(p);
    }
}

/* The greatest element of an ascending array that is at most `key`; NULL if there is none. */
static const uint32_t *at_most(const uint32_t *array, size_t count, uint32_t key) {
    const uint32_t *greatest = NULL;
    for (size_t low = 0, high = count; low < high;) {
        size_t middle = low + (high - low) / 2;
        if (array[middle] <= key) {
            greatest = &array[middle];
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return greatest;
}

/* Has the running block acquired, by an atomic function, what the block of this event published? */
static bool is_acquired(struct shadow_event event) {
    const uint32_t *block =
        now.acquired_count ? at_most(now.starts, now.blocks, event.segment) : NULL;
    for (unsigned i = 0; block && i < now.acquired_count; i++) {
        const struct publication *p = now.acquired[i];
        const uint32_t *same = at_most(p->blocks, p->count, *block);
        if (same && *same == *block) {
            return true;
        }
    }
    return false;
}

bool race_thread_of(struct shadow_event event, unsigned *thread, uint64_t *block) {
    const uint32_t *start = at_most(now.starts, now.blocks, event.segment);
    *block = start ? (uint64_t)(start - now.starts) : 0;
    if (event.segment < race_time.block_first) {
        return false;
    }
    *thread = race_time.threads[event.segment - race_time.block_first];
    return true;
}

/* Did the event certainly happen before the current access of the running thread? `scope`: the
 * first segment in which other threads could access this memory. */
static bool is_ordered(struct shadow_event event, uint32_t scope) {
    if (event.segment < scope || event.segment == race_time.segment) {
        return true;
    }
    if (!race_in_block(event)) {
        return is_acquired(event);
    }
    unsigned other = race_owner(event);
    if (other == race_time.thread || event.segment < race_time.barrier_first ||
        is_acquired_in_block(event)) {
        return true;
    }
    if (other / SIM_WARP_SIZE != race_time.thread / SIM_WARP_SIZE) {
        return false;
    }
    return event.segment < now.warp_first[race_time.thread / SIM_WARP_SIZE] ||
           ((now.partial[race_time.thread].lanes >> other % SIM_WARP_SIZE & 1u) &&
            event.segment < now.partial[race_time.thread].first);
}

static bool is_atomic(enum race_access how) {
    return how == RACE_ATOMIC || how == RACE_COMPARE;
}

/* Does the event race with `me`, an access of the running thread? Two atomic ones never do. */
static bool races(struct shadow_event event, struct shadow_event me, uint32_t scope) {
    return !(me.pc & event.pc & SHADOW_ATOMIC) && !is_ordered(event, scope);
}

static void note_write(struct shadow_cell *cell, struct shadow_event me) {
    if (cell->write.segment != 0 && !race_is_mine(cell->write)) {
        cell->older = cell->write;
        cell->older.pc &= ~SHADOW_DIFFERS;
    }
    cell->write = me;
}

/* The race of one cell with what the running thread is about to do. */
static struct race find(const struct shadow_cell *cell, enum race_access how,
                        struct shadow_event me, uint32_t scope) {
    if (races(cell->older, me, scope) && (how == RACE_LOAD || cell->older.pc & SHADOW_DIFFERS)) {
        return (struct race){cell->older, true, false};
    }
    for (unsigned i = 0; i < 3 && how != RACE_LOAD; i++) {
        if (races(cell->reads[i], me, scope)) {
            return (struct race){cell->reads[i], false, false};
        }
    }
    if (races(cell->write, me, scope)) {
        return (struct race){cell->write, true, how == RACE_STORE};
    }
    if (races(cell->older, me, scope)) {
        return (struct race){cell->older, true, how == RACE_STORE};
    }
    return (struct race){{0, 0}, false, false};
}

struct race race_access(struct shadow_cell *cells, size_t count, enum race_access how, uint32_t pc,
                        bool one_block) {
    uint32_t scope = one_block ? race_time.block_first : race_time.launch_first;
    struct shadow_event me = {race_time.segment, pc | (is_atomic(how) ? SHADOW_ATOMIC : 0)};
    struct race worst = {{0, 0}, false, false};
    for (size_t i = 0; i < count; i++) {
        struct shadow_cell *cell = &cells[i];
        if (how == RACE_COMPARE && cell->reads[0].segment == race_time.segment) {
            cell->reads[0] =
                (struct shadow_event){0, 0}; /* the atomicCAS() verifies what this read */
        }
        if (worst.other.segment == 0 || worst.same_value) {
            struct race race = find(cell, how, me, scope);
            worst = race.other.segment ? race : worst;
        }
        if (how == RACE_LOAD) {
            race_note_read(cell, me, scope);
        } else {
            note_write(cell, me);
        }
    }
    if (worst.other.segment) {
        race_time.quiet = UINT32_MAX; /* every access of this segment is looked at */
    }
    return worst;
}

void race_step(struct shadow *shadow, size_t i, uint32_t settled, enum race_step step,
               uint32_t pc) {
    const struct shadow_event me = {race_time.segment, pc};
    struct shadow_cell copy, *cell = shadow_cell(shadow, i, settled, &copy);
    const uint64_t before =
        shadow->packed[i].latest < settled
            ? 0
            : race_before(shadow->packed[i].form, me.segment - shadow->packed[i].latest);
    if (step == STEP_STORE) {
        cell->write = me;
    } else {
        cell->reads[2] = step == STEP_READ_FAR ? cell->reads[0] : cell->reads[2];
        cell->reads[1] = step != STEP_READ ? cell->reads[0] : cell->reads[1];
        cell->reads[0] = me;
    }
    shadow_set_cell(shadow, i, settled, cell);
    if (shadow->packed) {
        const uint32_t access = pc * 4 + step;
        *race_change_of(before, access) =
            (struct race_change){before, access, shadow->packed[i].form};
    }
}

void race_forget_forms(void) {
    shadow_forget_forms();
    memset(race_changes, 0, sizeof race_changes);
}

bool race_may_change(const struct shadow_cell *cells, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (cells[i].older.segment >= race_time.launch_first &&
            !(cells[i].older.pc & SHADOW_DIFFERS)) {
            return true;
        }
    }
    return false;
}

void race_changed(struct shadow_cell *cells, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (cells[i].older.segment != 0) {
            cells[i].older.pc |= SHADOW_DIFFERS;
        }
    }
}
