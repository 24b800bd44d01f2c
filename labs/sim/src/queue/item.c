#include "queue/item.h"

#include "queue/clock.h"

#include <stdlib.h>
#include <string.h>

#define SMALL_BYTES ((size_t)512) /* items whose closure fits in so many bytes are used again */

static struct sim_item *unused; /* linked by `older` */

struct sim_item *sim_new_item(const struct sim_operation *operation) {
    size_t room = operation->closure_bytes > SMALL_BYTES ? operation->closure_bytes : SMALL_BYTES;
    struct sim_item *item = unused;
    if (room == SMALL_BYTES && item) {
        unused = item->older;
    } else {
        size_t bytes = (sizeof *item + room + SIM_CLOSURE_ALIGNMENT - 1) / SIM_CLOSURE_ALIGNMENT *
                       SIM_CLOSURE_ALIGNMENT;
        item = aligned_alloc(SIM_CLOSURE_ALIGNMENT, bytes);
    }
    if (item) {
        item->operation = *operation;
        item->operation.closure = item->closure;
        item->state = SIM_PENDING;
        item->references = 1; /* the queue's */
        item->async = NULL;
        item->follower = NULL;
        item->dependency_count = 0;
        item->dependencies = item->few;
        item->room = room;
        if (operation->closure_bytes) {
            memcpy(item->closure, operation->closure, operation->closure_bytes);
        }
    }
    return item;
}

void sim_drop_item(struct sim_item *item) {
    if (!item || --item->references > 0) {
        return;
    }
    sim_async_release(item->async);
    if (item->room == SMALL_BYTES) {
        item->older = unused;
        unused = item;
    } else {
        free(item);
    }
}

/* One that has ended has no dependencies left, so this does not recurse. */
void sim_drop_dependencies(struct sim_item *item) {
    for (unsigned i = 0; i < item->dependency_count; i++) {
        sim_drop_item(item->dependencies[i]);
    }
    if (item->dependencies != item->few) {
        free(item->dependencies);
    }
    item->dependencies = item->few;
    item->dependency_count = 0;
}

static bool may_overlap(const struct sim_operation *o, const struct sim_item *before) {
    return o->begin && before && before->operation.kind == SIM_OP_KERNEL;
}

void sim_follow(struct sim_item *item, struct sim_item *before) {
    if (may_overlap(&item->operation, before) && before->state == SIM_PENDING) {
        before->follower = item;
    }
}

bool sim_waits_only_for(const struct sim_item *item, const struct sim_item *before) {
    bool only = true;
    for (unsigned i = 0; i < item->dependency_count && only; i++) {
        only = item->dependencies[i] == before || item->dependencies[i]->state == SIM_ENDED;
    }
    return only;
}

/* There must be room: `dependencies_of()` makes it. */
static void depend(struct sim_item *item, struct sim_item *on) {
    sim_async_join(item->async, on ? on->async : NULL);
    if (on && on->state != SIM_ENDED) {
        on->references++;
        item->dependencies[item->dependency_count++] = on;
    }
}

/* What an operation in `s` depends on. False: out of memory. */
bool sim_find_dependencies(struct sim_item *item, const struct sim_stream *s,
                           struct sim_item *after) {
    if (may_overlap(&item->operation, s->tail)) {
        sim_async_overlap(item->async, s->tail->async);
    }
    if (s != &sim_legacy_stream) {
        depend(item, s->tail);
        depend(item, s->blocking ? sim_legacy_stream.tail : NULL);
        depend(item, after);
        return true;
    }
    sim_async_join_ended(item->async);
    unsigned count = 2;
    for (const struct sim_stream *other = sim_first_stream(); other; other = other->next) {
        count += other->blocking && other->tail && other->tail->state != SIM_ENDED;
    }
    if (count > (unsigned)(sizeof item->few / sizeof *item->few)) {
        struct sim_item **more = calloc(count, sizeof(struct sim_item *));
        if (!more) {
            return false;
        }
        item->dependencies = more;
    }
    depend(item, s->tail);
    depend(item, after);
    for (const struct sim_stream *other = sim_first_stream(); other; other = other->next) {
        depend(item, other->blocking ? other->tail : NULL);
    }
    return true;
}
