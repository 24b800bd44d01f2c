#include "queue/schedule.h"

#include "base/errors.h"
#include "base/options.h"
#include "base/terminal_line.h"
#include "exec/hooks.h"
#include "memory/allocations.h"
#include "memory/footprint.h"
#include "queue/check.h"
#include "queue/lock.h"

#include <pthread.h>
#include <stdlib.h>

/* As many operations may be pending. The oldest runs when there is one more: a device's queue is
 * not endless either. */
#define MOST_PENDING 1024
#define AT_ONCE 64 /* so many then run: device memory is opened once for all of them */

static pthread_cond_t item_ended = PTHREAD_COND_INITIALIZER;
static struct sim_item *oldest, *newest; /* of those that have not ended */
static unsigned pending, running, waiting_threads;
static uint64_t enqueued;

static void link_newest(struct sim_item *item) {
    item->older = newest;
    item->newer = NULL;
    *(newest ? &newest->newer : &oldest) = item;
    newest = item;
    pending++;
}

static void end(struct sim_item *item) {
    *(item->older ? &item->older->newer : &oldest) = item->newer;
    *(item->newer ? &item->newer->older : &newest) = item->older;
    pending--;
    item->state = SIM_ENDED;
    if (item->operation.kind == SIM_OP_RECORD) {
        clock_gettime(CLOCK_MONOTONIC, &item->ended);
    }
    sim_drop_dependencies(item);
    sim_drop_item(item);
    if (waiting_threads > 0) {
        pthread_cond_broadcast(&item_ended);
    }
}

/* Runs an operation, without the queue's lock. */
static void execute(struct sim_item *item) {
    const struct sim_operation *o = &item->operation;
    if (o->kind == SIM_OP_HOST_CALL) {
        sim_lock_device();
        sim_return_device();
        sim_unlock_device();
        sim_line_clear();
        sim_in_host_call = true;
        o->run(item->closure);
        sim_in_host_call = false;
        return;
    }
    sim_lock_device();
    sim_async_observe(item->async);
    o->run(item->closure);
    if (item->async) {
        item->async->let_go = sim_overlap.let_go;
    }
    sim_async_observe(NULL);
    sim_unlock_device();
}

/* Runs an item, which is marked as running. On a lost device it only ends. */
static void run_one(struct sim_item *item) {
    const struct sim_operation *o = &item->operation;
    bool runs = sim_sticky() == cudaSuccess && sim_async_begin(item->async) && o->run;
    if (runs || o->destroy) {
        running++;
        sim_unlock_queue();
        if (runs) {
            execute(item);
        }
        if (o->destroy) {
            o->destroy(item->closure);
        }
        sim_lock_queue();
        running--;
    }
    sim_async_end(item->async);
    end(item);
}

static uint64_t random_below(uint64_t bound) {
    static uint64_t state;
    if (state == 0) {
        state = sim_options.seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    }
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (state >> 11) % bound;
}

static bool is_shuffled(void) {
    return sim_options.seed != 0;
}

/* Does the one that may overlap this item, which is about to run, begin before it? Returns it
 * then. */
static struct sim_item *begin_follower(struct sim_item *item) {
    struct sim_item *next = item->follower;
    if (!next || sim_hooks || sim_sticky() != cudaSuccess || !sim_waits_only_for(next, item) ||
        (is_shuffled() && random_below(2) == 0)) {
        return NULL;
    }
    next->state = SIM_RUNNING;
    running++;
    sim_unlock_queue();
    sim_lock_device();
    const bool begun = next->operation.begin(next->closure);
    sim_unlock_device();
    sim_lock_queue();
    running--;
    next->state = begun ? SIM_RUNNING : SIM_PENDING;
    return begun ? next : NULL;
}

/* Runs an item whose dependencies have ended, and those that have begun before it. */
static void run(struct sim_item *item) {
    while (item) {
        item->state = SIM_RUNNING;
        struct sim_item *next = begin_follower(item);
        run_one(item);
        item = next;
    }
}

/* The caller's code goes on. Another thread that still runs something does this at its end. */
static void return_to_host(void) {
    if (running == 0) {
        sim_line_clear();
        sim_lock_device();
        sim_return_device();
        sim_unlock_device();
    }
}

static void wait_until_one_ends(void) {
    waiting_threads++;
    pthread_cond_wait(&item_ended, &sim_queue_mutex);
    waiting_threads--;
}

/* ---- the order */

/* An item that `item` waits for: the newest, or any one if the order is shuffled. NULL: none. */
static struct sim_item *dependency(struct sim_item *item) {
    struct sim_item *chosen = NULL;
    unsigned seen = 0;
    for (unsigned i = 0; i < item->dependency_count; i++) {
        struct sim_item *d = item->dependencies[i];
        if (d->state == SIM_ENDED) {
            continue;
        }
        seen++;
        if (!chosen || (is_shuffled() ? random_below(seen) == 0 : d->number > chosen->number)) {
            chosen = d;
        }
    }
    return chosen;
}

/* The items on the way from one that is waited for to one that can run. */
struct path {
    struct sim_item **items;
    size_t count, room;
};

static bool push(struct path *path, struct sim_item *item) {
    if (path->count == path->room) {
        size_t room = path->room ? 2 * path->room : 64;
        struct sim_item **moved = realloc(path->items, room * sizeof(struct sim_item *));
        if (!moved) {
            return false;
        }
        path->items = moved;
        path->room = room;
    }
    item->references++;
    path->items[path->count++] = item;
    return true;
}

static void pop(struct path *path) {
    sim_drop_item(path->items[--path->count]);
}

/* Takes one step: runs an item that the last of the path waits for (or itself), or waits for
 * another thread that runs it. */
static void step(struct path *path) {
    struct sim_item *item = path->items[path->count - 1], *next;
    while (item->state == SIM_PENDING && (next = dependency(item))) {
        if (!push(path, next)) {
            item = next; /* out of memory: from here without a record of the way */
            while (item->state == SIM_PENDING && (next = dependency(item))) {
                item = next;
            }
            break;
        }
        item = next;
    }
    if (item->state == SIM_RUNNING) {
        wait_until_one_ends();
    } else if (item->state == SIM_PENDING) {
        item->references++;
        run(item);
        sim_drop_item(item);
    }
}

static void complete(struct sim_item *item) {
    struct path path = {NULL, 0, 0};
    while (item->state != SIM_ENDED) {
        if (path.count == 0 && !push(&path, item)) {
            struct sim_item *only[1] = {item};
            struct path one = {only, 1, 1};
            item->references++;
            step(&one);
            sim_drop_item(item);
            continue;
        }
        step(&path);
        while (path.count > 0 &&
               (is_shuffled() || path.items[path.count - 1]->state == SIM_ENDED)) {
            pop(&path); /* a shuffled order chooses its path again */
        }
    }
    while (path.count > 0) {
        pop(&path);
    }
    free(path.items);
}

/* ---- what the other files call */

void sim_complete(struct sim_item *item) {
    complete(item);
    return_to_host();
}

/* Runs the oldest ones if too many are pending: their dependencies are older, and so have ended. */
static void limit_pending(void) {
    if (pending <= MOST_PENDING) {
        return;
    }
    while (pending > MOST_PENDING - AT_ONCE) {
        if (oldest->operation.kind == SIM_OP_HOST_CALL) {
            break; /* it may need what this thread holds: unawaited_work.c runs it */
        }
        if (oldest->state == SIM_RUNNING) {
            wait_until_one_ends();
        } else {
            run(oldest);
        }
    }
    return_to_host();
}

void sim_schedule(struct sim_item *item) {
    item->number = ++enqueued;
    link_newest(item);
    limit_pending();
}

bool sim_advance(struct sim_item *item) {
    for (struct sim_item *next; item->state == SIM_PENDING && (next = dependency(item));) {
        item = next;
    }
    if (item->state != SIM_PENDING || item->operation.kind == SIM_OP_HOST_CALL) {
        return true; /* unawaited_work.c runs a host call: it may need what this thread holds */
    }
    const bool works = item->operation.run != NULL;
    item->references++;
    run(item);
    sim_drop_item(item);
    return_to_host();
    return works;
}

/* The newest pending item up to this number, or any one of them if the order is shuffled. */
static struct sim_item *pending_until(uint64_t last) {
    struct sim_item *item = newest;
    while (item && item->number > last) {
        item = item->older;
    }
    if (item && is_shuffled()) {
        uint64_t seen = 0;
        for (struct sim_item *i = item; i; i = i->older) {
            if (random_below(++seen) == 0) {
                item = i;
            }
        }
    }
    return item;
}

void sim_complete_until(uint64_t number) {
    for (struct sim_item *item; (item = pending_until(number));) {
        item->references++;
        complete(item);
        sim_drop_item(item);
    }
    return_to_host();
}

void sim_forget_threads(void) {
    const unsigned own = sim_in_host_call ? 1 : 0;
    pthread_cond_init(&item_ended, NULL);
    waiting_threads = 0;
    if (!sim_free_device_lock() && running <= own) {
        return;
    }
    running = own;
    sim_fail_for_good(cudaErrorInitializationError);
    for (struct sim_item *item = oldest, *next; item; item = next) {
        next = item->newer;
        if (item->state == SIM_RUNNING && !(own && item->operation.kind == SIM_OP_HOST_CALL)) {
            end(item);
        }
    }
}

uint64_t sim_newest_number(void) {
    return enqueued;
}

struct sim_item *sim_oldest_item(void) {
    return oldest;
}
