#include "check/racecheck.h"

#include "check/race_time.h"

#include <stdlib.h>
#include <string.h>

/* What a thread has published by a fence and, at segment `at`, an atomic function on an address.
 * For all blocks: what it did up to segment `own`, and what its block did before `all`. */
struct release {
    uint32_t block; /* its number */
    uint16_t thread;
    uint32_t at, own, all;
    uint32_t own_in_block; /* for its block: what it did up to here */
    /* It took this address as a lock in segment `taken` (0: it did not), and first made a fence, of
     * the device or the block, in these (UINT32_MAX: not before this release). */
    uint32_t taken, fenced, fenced_in_block;
};

#define MOST_EARLIER 16

/* All that was published at an address. */
struct publication {
    const void *address;
    struct release *releases; /* by block, and of a block by thread */
    size_t count, capacity;
    struct publication *earlier[MOST_EARLIER]; /* what those threads had acquired before */
    unsigned earlier_count;
    uint32_t visited; /* the last query that has looked at it */
    struct publication *next;
};

/* A thread of the running block has acquired what was published at an address so far. */
struct acquisition {
    struct publication *from;
    uint32_t segment;
    uint16_t thread;
    bool of_block; /* by an atomic function of this scope */
};

/* The last fences of a thread, by their segments, and the lock that it took last by an atomicCAS():
 * in which segment, and its first fences since then (UINT32_MAX: none). */
struct fences {
    uint32_t device, block;
    const void *lock;
    uint32_t taken, first_device, first_block;
};

/* The segments of a block until it ends or waits for others. */
struct part {
    uint32_t first, block;
};

/* What is kept of the block that runs, and of each block that waits for others. */
struct block_state {
    uint32_t number;
    struct acquisition *acquired;
    size_t count, capacity;
    struct fences fences[SIM_MAX_THREADS];
    bool any_fence;
    uint32_t last_fence, fenced_barrier; /* of the device: the last one, and the last one before the
                                            last barrier */
    struct block_state *next;            /* that waits */
};

#define PUBLISHED 256
#define MOST_ACQUIRED ((size_t)1 << 20) /* by one block; then it forgets the oldest ones */
#define MOST_LOOKED_AT 4096             /* acquisitions, the newest ones */
#define MOST_HANDED_ON 64               /* acquisitions, by one release */
#define MOST_THREADS ((uint32_t)1 << 18)
#define RECENT 4096

struct race_time race_time;
struct race_change race_changes[RACE_CHANGES];

static struct {
    struct part *parts;
    size_t part_count, parts_capacity;
    uint32_t blocks; /* that have begun */
    size_t threads_capacity;
    uint32_t
        warp_first[SIM_MAX_THREADS / SIM_WARP_SIZE]; /* after the last __syncwarp() of all lanes */
    struct {
        uint32_t lanes, first;
    } partial[SIM_MAX_THREADS]; /* and the last one of each thread that named only some lanes */
    struct publication *published[PUBLISHED]; /* by address */
    bool any_published;
    struct block_state block, *waiting;
    uint32_t recent[RECENT]; /* acquisitions of the block, where they probably are */
    uint32_t query;
    struct publication **found; /* by the query */
    size_t found_count, found_capacity;
    bool lock_without_fence; /* is_outside() has said so */
} now;

static bool make_room(void **array, size_t count, size_t *capacity, size_t size) {
    if (count <= *capacity) {
        return true;
    }
    size_t larger = *capacity ? *capacity * 2 : 64;
    void *moved = realloc(*array, (larger < count ? count : larger) * size);
    if (moved != NULL) {
        *array = moved;
        *capacity = larger < count ? count : larger;
    }
    return moved != NULL;
}

static struct block_state *take_waiting(uint32_t number) {
    struct block_state **link = &now.waiting;
    while (*link && (*link)->number != number) {
        link = &(*link)->next;
    }
    struct block_state *state = *link;
    if (state) {
        *link = state->next;
    }
    return state;
}

void race_launch(void) {
    race_time.launch_first = race_time.segment + 1;
    race_time.block_first = race_time.barrier_first = race_time.launch_first;
    race_time.threads_first = race_time.launch_first;
    race_time.moment++;
    now.part_count = now.blocks = 0;
    for (unsigned i = 0; now.any_published && i < PUBLISHED; i++) {
        while (now.published[i]) {
            struct publication *old = now.published[i];
            now.published[i] = old->next;
            free(old->releases);
            free(old);
        }
    }
    now.any_published = false;
    now.block.count = 0;
    for (struct block_state *state; (state = now.waiting);) {
        now.waiting = state->next;
        free(state->acquired);
        free(state);
    }
}

/* The running block has this number, and goes on in a new segment. */
static void begin_part(uint32_t number) {
    race_time.block_first = race_time.barrier_first = race_time.segment + 1;
    race_time.moment++;
    if (race_time.block_first - race_time.threads_first > MOST_THREADS) {
        race_time.threads_first = race_time.block_first;
    }
    memset(now.warp_first, 0, sizeof now.warp_first);
    memset(now.partial, 0, sizeof now.partial);
    if (make_room((void **)&now.parts, now.part_count + 1, &now.parts_capacity,
                  sizeof *now.parts)) {
        now.parts[now.part_count++] = (struct part){race_time.block_first, number};
    }
}

static void forget_fences(void) {
    if (now.block.any_fence) {
        memset(now.block.fences, 0, sizeof now.block.fences);
        now.block.any_fence = false;
        now.block.last_fence = now.block.fenced_barrier = 0;
    }
}

void race_block(void) {
    now.block.number = now.blocks++;
    now.block.count = 0;
    forget_fences();
    begin_part(now.block.number);
}

uint32_t race_block_waits(void) {
    struct block_state *state =
        now.block.any_fence || now.block.count > 0 ? malloc(sizeof *state) : NULL;
    if (state) {
        *state = now.block;
        state->next = now.waiting;
        now.waiting = state;
        now.block.acquired = NULL;
        now.block.count = now.block.capacity = 0;
    }
    return now.block.number;
}

void race_block_resumes(uint32_t number) {
    struct block_state *state = take_waiting(number);
    begin_part(number);
    now.block.count = 0;
    forget_fences();
    now.block.number = number;
    if (state) {
        free(now.block.acquired);
        now.block = *state;
        free(state);
    }
}

void race_thread(unsigned t) {
    race_time.quiet = ++race_time.segment;
    race_time.moment++;
    race_time.thread = t;
    size_t index = race_time.segment - race_time.threads_first;
    if (make_room((void **)&race_time.threads, index + 1, &now.threads_capacity,
                  sizeof *race_time.threads)) {
        race_time.threads[index] = (uint16_t)t;
    }
}

void race_barrier(void) {
    race_time.barrier_first = race_time.segment + 1;
    race_time.moment++;
    now.block.fenced_barrier = now.block.last_fence;
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

void race_fence(bool of_block) {
    struct fences *mine = &now.block.fences[race_time.thread];
    mine->block = race_time.segment;
    mine->first_block =
        mine->first_block < race_time.segment ? mine->first_block : race_time.segment;
    if (!of_block) {
        mine->device = now.block.last_fence = race_time.segment;
        mine->first_device =
            mine->first_device < race_time.segment ? mine->first_device : race_time.segment;
    }
    now.block.any_fence = true;
    race_thread(race_time.thread); /* what follows is not behind the fence */
}

static struct publication *publication_of(const void *address, bool create) {
    uintptr_t number = (uintptr_t)address >> 2;
    struct publication **first = &now.published[(number ^ number >> 8) % PUBLISHED], *p = *first;
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

/* Have the running thread and thread `other` of its block met since the end of a segment? */
static bool have_met(unsigned other, uint32_t segment) {
    unsigned me = race_time.thread, warp = me / SIM_WARP_SIZE;
    if (other == me || segment < race_time.barrier_first) {
        return true;
    }
    return other / SIM_WARP_SIZE == warp &&
           (segment < now.warp_first[warp] ||
            ((now.partial[me].lanes >> other % SIM_WARP_SIZE & 1u) &&
             segment < now.partial[me].first));
}

/* Does what another thread has acquired hold for the running thread? Lanes of a warp may tell each
 * other by a shuffle what another block has published. */
static bool holds(const struct acquisition *a, bool in_block) {
    return have_met(a->thread, a->segment) ||
           (!in_block && a->thread / SIM_WARP_SIZE == race_time.thread / SIM_WARP_SIZE);
}

static void acquire(struct publication *p, bool of_block) {
    struct block_state *b = &now.block;
    uint32_t *recent = &now.recent[((uintptr_t)p >> 6 ^ race_time.thread * 61) % RECENT];
    if (*recent < b->count) {
        struct acquisition *a = &b->acquired[*recent];
        if (a->from == p && a->thread == race_time.thread && a->of_block == of_block) {
            a->segment = race_time.segment;
            return;
        }
    }
    if (b->count == MOST_ACQUIRED) {
        b->count /= 2;
        memmove(b->acquired, b->acquired + b->count, b->count * sizeof *b->acquired);
    }
    if (make_room((void **)&b->acquired, b->count + 1, &b->capacity, sizeof *b->acquired)) {
        *recent = (uint32_t)b->count;
        b->acquired[b->count++] =
            (struct acquisition){p, race_time.segment, (uint16_t)race_time.thread, of_block};
    }
}

/* The first release by a thread of this block, or by one that follows it. */
static size_t releases_of(const struct publication *p, uint32_t block, unsigned thread) {
    size_t low = 0;
    for (size_t high = p->count; low < high;) {
        size_t middle = low + (high - low) / 2;
        const struct release *r = &p->releases[middle];
        if (r->block < block || (r->block == block && r->thread < thread)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* The running thread took this lock, and no barrier came since then. */
static bool is_taken(const void *lock) {
    const struct fences *mine = &now.block.fences[race_time.thread];
    return mine->taken != 0 && mine->lock == lock && race_time.barrier_first <= mine->taken;
}

/* What other threads of the block have published there, and this one has acquired, is behind its
 * fence for all blocks, too. */
static void pass_on(struct publication *p) {
    for (size_t i = releases_of(p, now.block.number, 0);
         i < p->count && p->releases[i].block == now.block.number; i++) {
        struct release *r = &p->releases[i];
        r->own = r->own > r->own_in_block ? r->own : r->own_in_block;
    }
}

static void publish(struct publication *p, bool of_block) {
    const struct block_state *b = &now.block;
    const struct fences *mine = &b->fences[race_time.thread];
    struct release made = {.block = b->number,
                           .thread = (uint16_t)race_time.thread,
                           .at = race_time.segment,
                           .own_in_block = mine->block};
    if (is_taken(p->address)) {
        made.taken = mine->taken;
        made.fenced = mine->first_device;
        made.fenced_in_block = mine->first_block;
    }
    if (!of_block) {
        /* What came before the barrier is behind this thread's fence after it, or behind those
         * that the threads made before it. */
        uint32_t fenced = mine->device > b->fenced_barrier ? mine->device : b->fenced_barrier;
        made.own = mine->device;
        made.all =
            fenced < race_time.barrier_first ? fenced + (fenced > 0) : race_time.barrier_first;
    }
    size_t i = releases_of(p, b->number, made.thread);
    struct release *same = &p->releases[i];
    if (i < p->count && same->block == b->number && same->thread == made.thread) {
        made.own = made.own > same->own ? made.own : same->own;
        made.all = made.all > same->all ? made.all : same->all;
        *same = made;
    } else if (make_room((void **)&p->releases, p->count + 1, &p->capacity, sizeof *p->releases)) {
        memmove(&p->releases[i + 1], &p->releases[i], (p->count - i) * sizeof *p->releases);
        p->releases[i] = made;
        p->count++;
    }
    size_t last = b->count > MOST_HANDED_ON ? b->count - MOST_HANDED_ON : 0;
    for (size_t k = b->count; k-- > last && p->earlier_count < MOST_EARLIER;) {
        struct publication *from = b->acquired[k].from;
        if (!of_block && mine->device >= b->acquired[k].segment && holds(&b->acquired[k], true)) {
            pass_on(from);
        }
        bool known = from == p || !holds(&b->acquired[k], false);
        for (unsigned j = 0; j < p->earlier_count && !known; j++) {
            known = p->earlier[j] == from;
        }
        if (!known) {
            p->earlier[p->earlier_count++] = from;
        }
    }
}

/* The running thread may have taken a lock: what follows is behind that. */
static void take(const void *lock) {
    struct fences *mine = &now.block.fences[race_time.thread];
    mine->lock = lock;
    mine->taken = race_time.segment;
    mine->first_device = mine->first_block = UINT32_MAX;
    race_thread(race_time.thread);
}

void race_atomic(const void *address, enum race_access how, bool of_block) {
    const bool compares = how == RACE_COMPARE;
    if (!now.block.any_fence && !now.any_published) {
        if (compares) {
            take(address);
        }
        return;
    }
    bool publishes = how != RACE_LOAD && (now.block.fences[race_time.thread].block != 0 ||
                                          now.block.fenced_barrier != 0);
    struct publication *p = publication_of(address, publishes);
    const bool acquires = p && p->count && how != RACE_STORE;
    if (p && publishes) {
        publish(p, of_block); /* not what is only acquired now, behind the fence */
    }
    if (acquires) {
        acquire(p, of_block);
    }
    struct fences *mine = &now.block.fences[race_time.thread];
    if (compares) {
        take(address);
    } else if (mine->lock == address) {
        mine->taken = 0; /* it gives the lock back, or waits for something else */
    }
}

/* The number of the block that an event is of. */
static uint32_t block_of(struct shadow_event event) {
    uint32_t block = 0;
    for (size_t low = 0, high = now.part_count; low < high;) {
        size_t middle = low + (high - low) / 2;
        if (now.parts[middle].first <= event.segment) {
            block = now.parts[middle].block;
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return block;
}

static bool is_by(struct shadow_event event, unsigned thread) {
    return event.segment < race_time.threads_first || race_owner(event) == thread;
}

/* Both threads took this lock, and made these first fences after it. The access that is not behind
 * its own fence may come before the lock was taken, as the next holder sees it. */
static bool is_outside(const struct publication *p, const struct release *r,
                       struct shadow_event event, bool in_block) {
    const struct fences *mine = &now.block.fences[race_time.thread];
    if (r->taken == 0 || !is_taken(p->address)) {
        return false;
    }
    const bool outside = (event.segment > r->taken &&
                          event.segment <= (in_block ? r->fenced_in_block : r->fenced)) ||
                         (in_block ? mine->first_block : mine->first_device) == UINT32_MAX;
    now.lock_without_fence |= outside;
    return outside;
}

/* Is an event of this block among what was published there? */
static bool is_among(const struct publication *p, struct shadow_event event, uint32_t block,
                     bool in_block) {
    for (size_t i = releases_of(p, block, 0); i < p->count && p->releases[i].block == block; i++) {
        const struct release *r = &p->releases[i];
        if (event.segment < r->all ||
            (event.segment <= (in_block ? r->own_in_block : r->own) && is_by(event, r->thread) &&
             !is_outside(p, r, event, in_block))) {
            return true;
        }
    }
    return false;
}

static void find_publication(struct publication *p) {
    if (p->visited != now.query && make_room((void **)&now.found, now.found_count + 1,
                                             &now.found_capacity, sizeof *now.found)) {
        p->visited = now.query;
        now.found[now.found_count++] = p;
    }
}

/* Has the running thread acquired what the thread of this event published after it? Or has a thread
 * that published something that it has acquired, and so on? `in_block`: for one block. */
static bool is_acquired(struct shadow_event event, uint32_t block, bool in_block) {
    size_t looked = 0;
    now.query++;
    now.found_count = 0;
    for (size_t i = now.block.count; i-- > 0 && looked < MOST_LOOKED_AT; looked++) {
        const struct acquisition *a = &now.block.acquired[i];
        if (event.segment <= a->segment && (in_block || !a->of_block) &&
            a->from->visited != now.query && holds(a, block == now.block.number)) {
            find_publication(a->from);
        }
    }
    for (size_t i = 0; i < now.found_count; i++) {
        struct publication *p = now.found[i];
        if (is_among(p, event, block, in_block)) {
            return true;
        }
        for (unsigned k = 0; k < p->earlier_count; k++) {
            find_publication(p->earlier[k]);
        }
    }
    return false;
}

bool race_is_handed_over(const void *address, struct shadow_event event) {
    const struct publication *p = now.any_published ? publication_of(address, false) : NULL;
    uint32_t block = block_of(event);
    bool acquired = false;
    for (size_t i = now.block.count; p && i-- > 0 && !acquired;) {
        const struct acquisition *a = &now.block.acquired[i];
        acquired = a->from == p && event.segment <= a->segment && holds(a, false);
    }
    for (size_t i = acquired ? releases_of(p, block, 0) : SIZE_MAX;
         acquired && i < p->count && p->releases[i].block == block; i++) {
        const struct release *r = &p->releases[i];
        if (event.segment <= r->at && is_by(event, r->thread) &&
            (block == now.block.number || r->own > 0 || r->all > 0)) {
            return true;
        }
    }
    return false;
}

bool race_thread_of(struct shadow_event event, unsigned *thread, uint64_t *block) {
    *block = block_of(event);
    if (event.segment < race_time.block_first) {
        return false;
    }
    *thread = race_owner(event);
    return true;
}

/* Did the event certainly happen before the current access of the running thread? `scope`: the
 * first segment in which other threads could access this memory. */
static bool is_ordered(struct shadow_event event, uint32_t scope) {
    if (event.segment < scope || event.segment == race_time.segment) {
        return true;
    }
    if (!race_in_block(event)) {
        uint32_t block = block_of(event);
        return block == now.block.number ||
               (now.block.count > 0 && is_acquired(event, block, false));
    }
    return have_met(race_owner(event), event.segment) ||
           (now.block.count > 0 && is_acquired(event, now.block.number, true));
}

static bool is_atomic(enum race_access how) {
    return how == RACE_ATOMIC || how == RACE_COMPARE;
}

/* Two volatile accesses, or a volatile one and an atomic function, count as atomic, but not two
 * volatile stores, nor, where nothing was published by a fence, one and an atomic function, nor a
 * load of what was handed over by a fence or an atomic function whose scope does not reach the
 * running thread. */
static bool is_too_weak(struct shadow_event event, struct shadow_event me, bool both_store) {
    if (both_store && (me.pc & event.pc & SHADOW_VOLATILE ||
                       ((me.pc ^ event.pc) & SHADOW_VOLATILE && !now.any_published))) {
        return true;
    }
    if (race_in_block(event) || event.segment < race_time.launch_first) {
        return false;
    }
    uint32_t block = block_of(event);
    return block != now.block.number &&
           ((me.pc | event.pc) & SHADOW_BLOCK ||
            (me.pc & event.pc & SHADOW_VOLATILE && is_acquired(event, block, true)));
}

/* Does the event race with `me`, an access of the running thread? Two atomic ones rarely do. */
static bool races(struct shadow_event event, struct shadow_event me, uint32_t scope,
                  bool both_store) {
    if (me.pc & event.pc & SHADOW_ATOMIC && !is_too_weak(event, me, both_store)) {
        return false;
    }
    return !is_ordered(event, scope);
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
    const bool stores = how != RACE_LOAD;
    if (races(cell->older, me, scope, stores) &&
        (how == RACE_LOAD || cell->older.pc & SHADOW_DIFFERS)) {
        return (struct race){cell->older, true, false, false};
    }
    for (unsigned i = 0; i < 3 && stores; i++) {
        if (races(cell->reads[i], me, scope, false)) {
            return (struct race){cell->reads[i], false, false, false};
        }
    }
    if (races(cell->write, me, scope, stores)) {
        return (struct race){cell->write, true, how == RACE_STORE, false};
    }
    if (races(cell->older, me, scope, stores)) {
        return (struct race){cell->older, true, how == RACE_STORE, false};
    }
    return (struct race){{0, 0}, false, false, false};
}

struct race race_access(struct shadow_cell *cells, size_t count, enum race_access how, uint32_t pc,
                        bool one_block) {
    uint32_t scope = one_block ? race_time.block_first : race_time.launch_first;
    struct shadow_event me = {race_time.segment, pc | (is_atomic(how) ? SHADOW_ATOMIC : 0)};
    struct race worst = {{0, 0}, false, false, false};
    now.lock_without_fence = false;
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
    worst.lock_without_fence = now.lock_without_fence;
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
    race_time.moment++; /* the cells may be replaced */
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
