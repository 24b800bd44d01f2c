#include "exec/async_copies.h"

#include <stdlib.h>

/* A copy of a thread of a block, which others may follow. */
struct async_copy {
    uint64_t block;
    struct sim_async_copy copy;
    struct async_copy *newer;
};

/* The oldest copy of the running block's thread t, and how many it has. Other blocks that this host
 * thread runs may have threads of the same number. */
static struct async_copy **oldest(struct worker *w, unsigned t, unsigned *count) {
    struct async_copy **first = NULL;
    *count = 0;
    for (struct async_copy **it = &w->copies[t]; *it; it = &(*it)->newer) {
        if ((*it)->block == w->block.index) {
            first = first ? first : it;
            ++*count;
        }
    }
    return first;
}

static struct sim_async_copy take(struct worker *w, struct async_copy **at) {
    struct async_copy *it = *at;
    const struct sim_async_copy copy = it->copy;
    *at = it->newer;
    w->lane.busy = true;
    free(it);
    w->lane.busy = false;
    w->copies_begun--;
    return copy;
}

void sim_async_copies_end(struct worker *w) {
    unsigned count;
    for (unsigned t = 0; w->copies_begun > 0 && t < w->block.count; t++) {
        for (struct async_copy **first; (first = oldest(w, t, &count)) != NULL;) {
            take(w, first);
        }
    }
}

void sim_copy_begins(const struct sim_async_copy *copy) {
    struct worker *w = sim_worker;
    struct async_copy **last = &w->copies[w->lane.thread];
    while (*last) {
        last = &(*last)->newer;
    }
    w->lane.busy = true;
    *last = malloc(sizeof **last);
    w->lane.busy = false;
    if (*last == NULL) {
        sim_end_kernel(cudaErrorLaunchOutOfResources);
    }
    **last = (struct async_copy){w->block.index, *copy, NULL};
    w->copies_begun++;
}

int sim_copy_due(unsigned keep, struct sim_async_copy *copy) {
    struct worker *w = sim_worker;
    unsigned count;
    struct async_copy **first = oldest(w, w->lane.thread, &count);
    if (count <= keep) {
        return 0;
    }
    *copy = take(w, first);
    return 1;
}
