#include "check/racecheck.h"

#include <stdlib.h>
#include <string.h>

/* The blocks that have published their writes by a fence and an atomic function on one address. */
struct publication {
    const void *address;
    uint32_t *blocks; /* their first segments, ascending */
    size_t count, capacity;
    struct publication *next;
};

static struct {
    uint32_t segment;       /* of the running thread */
    unsigned thread;        /* its number in the block */
    uint32_t launch_first;  /* the first segment of the launch, */
    uint32_t block_first;   /* of the block, */
    uint32_t barrier_first; /* and after the last barrier of the block */
    uint32_t *starts;       /* the first segment of each block so far */
    size_t blocks, blocks_capacity;
    uint16_t *threads; /* of each segment of the block, from block_first */
    size_t threads_capacity;
    uint32_t
        warp_first[SIM_MAX_THREADS / SIM_WARP_SIZE]; /* after the last __syncwarp() of all lanes */
    struct {
        uint32_t lanes, first;
    } partial[SIM_MAX_THREADS]; /* and the last one of each thread that named only some lanes */
    uint32_t fenced;            /* the segment of the last fence of the running thread */
    struct publication *published;
    const struct publication *acquired[4]; /* by the running block */
    unsigned acquired_count;
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

void race_launch(void) {
    now.launch_first = now.segment + 1;
    now.block_first = now.barrier_first = now.launch_first;
    now.blocks = 0;
    while (now.published) {
        struct publication *old = now.published;
        now.published = old->next;
        free(old->blocks);
        free(old);
    }
    now.acquired_count = 0;
}

void race_block(void) {
    now.block_first = now.barrier_first = now.segment + 1;
    now.fenced = 0;
    now.acquired_count = 0;
    memset(now.warp_first, 0, sizeof now.warp_first);
    memset(now.partial, 0, sizeof now.partial);
    if (make_room((void **)&now.starts, now.blocks + 1, &now.blocks_capacity, sizeof *now.starts)) {
        now.starts[now.blocks++] = now.block_first;
    }
}

void race_thread(unsigned t) {
    now.segment++;
    now.thread = t;
    size_t index = now.segment - now.block_first;
    if (make_room((void **)&now.threads, index + 1, &now.threads_capacity, sizeof *now.threads)) {
        now.threads[index] = (uint16_t)t;
    }
}

void race_barrier(void) {
    now.barrier_first = now.segment + 1;
}

void race_warp_barrier(unsigned first, uint32_t lanes) {
    if (lanes == UINT32_MAX) {
        now.warp_first[first / SIM_WARP_SIZE] = now.segment + 1;
        return;
    }
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned t = first + (unsigned)__builtin_ctz(left);
        now.partial[t].lanes = lanes;
        now.partial[t].first = now.segment + 1;
    }
}

void race_fence(void) {
    now.fenced = now.segment;
}

static struct publication *publication_of(const void *address) {
    struct publication *p = now.published;
    while (p && p->address != address) {
        p = p->next;
    }
    if (p == NULL && (p = calloc(1, sizeof *p)) != NULL) {
        p->address = address;
        p->next = now.published;
        now.published = p;
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

void race_atomic(const void *address) {
    struct publication *p = now.fenced || now.published ? publication_of(address) : NULL;
    if (p == NULL) {
        return;
    }
    if (p->count) {
        acquire(p);
    }
    bool again = p->count && p->blocks[p->count - 1] == now.block_first;
    if (now.fenced && !again &&
        make_room((void **)&p->blocks, p->count + 1, &p->capacity, sizeof *p->blocks)) {
        p->blocks[p->count++] = now.block_first;
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
    if (event.segment < now.block_first) {
        return false;
    }
    *thread = now.threads[event.segment - now.block_first];
    return true;
}

static unsigned thread_of(struct shadow_event event) {
    return now.threads[event.segment - now.block_first];
}

static bool in_block(struct shadow_event event) {
    return event.segment >= now.block_first;
}

static bool is_mine(struct shadow_event event) {
    return event.segment == now.segment || (in_block(event) && thread_of(event) == now.thread);
}

/* Did the event certainly happen before the current access of the running thread? `scope`: the
 * first segment in which other threads could access this memory. */
static bool is_ordered(struct shadow_event event, uint32_t scope) {
    if (event.segment < scope || event.segment == now.segment) {
        return true;
    }
    if (!in_block(event)) {
        return is_acquired(event);
    }
    unsigned other = thread_of(event);
    if (other == now.thread || event.segment < now.barrier_first) {
        return true;
    }
    if (other / SIM_WARP_SIZE != now.thread / SIM_WARP_SIZE) {
        return false;
    }
    return event.segment < now.warp_first[now.thread / SIM_WARP_SIZE] ||
           ((now.partial[now.thread].lanes >> other % SIM_WARP_SIZE & 1u) &&
            event.segment < now.partial[now.thread].first);
}

static bool is_atomic(enum race_access how) {
    return how == RACE_ATOMIC || how == RACE_COMPARE;
}

/* Does the event race with an access of the running thread? Two atomic functions never do. */
static bool races(struct shadow_event event, enum race_access how, uint32_t scope) {
    return !(is_atomic(how) && event.pc & SHADOW_ATOMIC) && !is_ordered(event, scope);
}

static void note_read(struct shadow_cell *cell, struct shadow_event me, uint32_t scope) {
    struct shadow_event last = cell->reads[0];
    if (last.segment == me.segment) {
        return;
    }
    if (last.segment >= scope && !is_mine(last)) {
        struct shadow_event far = cell->reads[2];
        bool block = !in_block(last);
        bool warp = !block && thread_of(last) / SIM_WARP_SIZE != now.thread / SIM_WARP_SIZE;
        if (block || (warp && (in_block(far) || far.segment < scope))) {
            cell->reads[2] = last;
        }
        cell->reads[1] = last;
    }
    cell->reads[0] = me;
}

static void note_write(struct shadow_cell *cell, struct shadow_event me) {
    if (cell->write.segment != 0 && !is_mine(cell->write)) {
        cell->older = cell->write;
        cell->older.pc &= ~SHADOW_DIFFERS;
    }
    cell->write = me;
}

/* The race of one cell with what the running thread is about to do. */
static struct race find(const struct shadow_cell *cell, enum race_access how, uint32_t scope) {
    if (races(cell->older, how, scope) && (how == RACE_LOAD || cell->older.pc & SHADOW_DIFFERS)) {
        return (struct race){cell->older, true, false};
    }
    for (unsigned i = 0; i < 3 && how != RACE_LOAD; i++) {
        if (races(cell->reads[i], how, scope)) {
            return (struct race){cell->reads[i], false, false};
        }
    }
    if (races(cell->write, how, scope)) {
        return (struct race){cell->write, true, how == RACE_STORE};
    }
    if (races(cell->older, how, scope)) {
        return (struct race){cell->older, true, how == RACE_STORE};
    }
    return (struct race){{0, 0}, false, false};
}

struct race race_access(struct shadow_cell *cells, size_t count, enum race_access how, uint32_t pc,
                        bool one_block) {
    uint32_t scope = one_block ? now.block_first : now.launch_first;
    struct shadow_event me = {now.segment, pc | (is_atomic(how) ? SHADOW_ATOMIC : 0)};
    struct race worst = {{0, 0}, false, false};
    for (size_t i = 0; i < count; i++) {
        struct shadow_cell *cell = &cells[i];
        if (how == RACE_COMPARE && cell->reads[0].segment == now.segment) {
            cell->reads[0] =
                (struct shadow_event){0, 0}; /* the atomicCAS() verifies what this read */
        }
        if (worst.other.segment == 0 || worst.same_value) {
            struct race race = find(cell, how, scope);
            worst = race.other.segment ? race : worst;
        }
        if (how == RACE_LOAD) {
            note_read(cell, me, scope);
        } else {
            note_write(cell, me);
        }
    }
    return worst;
}

void race_changed(struct shadow_cell *cells, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (cells[i].older.segment != 0) {
            cells[i].older.pc |= SHADOW_DIFFERS;
        }
    }
}
