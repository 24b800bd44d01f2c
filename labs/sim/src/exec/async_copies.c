#include "exec/async_copies.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 16 };

/* A copy of a thread of a block. `made`: it only keeps its place until those before it are gone. */
struct async_copy {
    uint64_t block;
    struct sim_async_copy copy;
    bool made;
};

/* The oldest copy of the running block's thread that has more than `keep`; NULL if it has no more.
 * Other blocks that this host thread runs may have threads of the same number. */
static struct async_copy *oldest(const struct worker *w, const struct begun_copies *begun,
                                 unsigned keep) {
    struct async_copy *first = NULL;
    for (unsigned i = begun->first, count = 0; i < begun->end; i++) {
        struct async_copy *it = &begun->copy[i];
        if (it->block == w->block.index && !it->made) {
            first = first ? first : it;
            if (++count > keep) {
                return first;
            }
        }
    }
    return NULL;
}

static void remove_copy(struct worker *w, struct begun_copies *begun, struct async_copy *it) {
    it->made = true;
    w->copies_begun--;
    while (begun->first < begun->end && begun->copy[begun->first].made) {
        begun->first++;
    }
    if (begun->first == begun->end) {
        begun->first = begun->end = 0;
    }
}

void sim_async_copies_end(struct worker *w) {
    for (unsigned t = 0; w->copies_begun > 0 && t < w->block.count; t++) {
        for (struct async_copy *it; (it = oldest(w, &w->copies[t], 0)) != NULL;) {
            remove_copy(w, &w->copies[t], it);
        }
    }
}

/* Makes room for one more. */
static bool grow(struct worker *w, struct begun_copies *begun) {
    if (2 * begun->first > begun->room) {
        memmove(begun->copy, begun->copy + begun->first,
                (begun->end - begun->first) * sizeof *begun->copy);
        begun->end -= begun->first;
        begun->first = 0;
        return true;
    }
    const unsigned room = begun->room ? 2 * begun->room : FIRST_ROOM;
    w->lane.busy = true;
    struct async_copy *copy = realloc(begun->copy, room * sizeof *copy);
    w->lane.busy = false;
    if (copy != NULL) {
        begun->copy = copy;
        begun->room = room;
    }
    return copy != NULL;
}

void sim_copy_begins(const struct sim_async_copy *copy) {
    struct worker *w = sim_worker;
    struct begun_copies *begun = &w->copies[w->lane.thread];
    if (begun->end == begun->room && !grow(w, begun)) {
        sim_end_kernel(cudaErrorLaunchOutOfResources);
    }
    begun->copy[begun->end++] = (struct async_copy){w->block.index, *copy, false};
    w->copies_begun++;
}

int sim_copy_due(unsigned keep, struct sim_async_copy *copy) {
    struct worker *w = sim_worker;
    struct begun_copies *begun = &w->copies[w->lane.thread];
    struct async_copy *it = oldest(w, begun, keep);
    if (it == NULL) {
        return 0;
    }
    *copy = it->copy;
    remove_copy(w, begun, it);
    return 1;
}
