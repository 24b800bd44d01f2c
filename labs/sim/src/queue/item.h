/* Items of the queue: an operation, what it depends on, and how many hold it. Hold the queue's lock
 * for everything here. */
#pragma once

#include "queue/operation.h"
#include "queue/stream.h"

#include <time.h>

#define SIM_CLOSURE_ALIGNMENT 128 /* at least that of every vector type */

enum sim_item_state { SIM_PENDING, SIM_RUNNING, SIM_ENDED };

struct sim_item {
    struct sim_operation operation;
    enum sim_item_state state;
    unsigned references;
    unsigned dependency_count;
    struct sim_item **dependencies; /* a reference each, until the item ends; `few` or allocated */
    struct sim_item *few[3];
    struct sim_item *older, *newer; /* of those that have not ended */
    uint64_t number;                /* in the order of the calls */
    bool marked;                    /* by a walk over all of them */
    struct sim_item *follower;      /* that may overlap it, queued next in its stream, or NULL */
    struct timespec ended;
    struct sim_async *async; /* of the checks, or NULL; a reference */
    size_t room;             /* bytes of `closure` */
    _Alignas(SIM_CLOSURE_ALIGNMENT) char closure[];
};

/* A pending item with one reference, or NULL when out of memory. */
struct sim_item *sim_new_item(const struct sim_operation *operation);

/* Gives one reference back; NULL does nothing. */
void sim_drop_item(struct sim_item *item);

/* Sets what an operation in `stream` depends on; `after` may be NULL. False: out of memory. */
bool sim_find_dependencies(struct sim_item *item, const struct sim_stream *stream,
                           struct sim_item *after);

/* The item was queued next after `before`, which may be NULL: may it overlap that one? */
void sim_follow(struct sim_item *item, struct sim_item *before);

/* Is `before` all that the item waits for? */
bool sim_waits_only_for(const struct sim_item *item, const struct sim_item *before);

/* The item has ended: it depends on nothing any more. */
void sim_drop_dependencies(struct sim_item *item);
