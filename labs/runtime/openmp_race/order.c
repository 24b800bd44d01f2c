#include "order.h"

#include "evidence/our_fault.h"
#include "real_functions.h"

#include <stdlib.h>

enum { MAX_THREADS = 256, MOST_PARTS = 1 << 15 };

static unsigned strand_of[MOST_PARTS + 1];  /* of each part */
static int thread_of[MOST_PARTS + 1];       /* of each strand */
static struct strand threads[MAX_THREADS];  /* their own strands, which have the same numbers */
static struct strand *current[MAX_THREADS]; /* NULL: the thread's own */
static unsigned strands, parts;

static unsigned new_part(unsigned strand) {
    strand_of[++parts] = strand;
    return parts;
}

void order_restart(unsigned count) {
    parts = 0;
    strands = count;
    for (unsigned i = 0; i < count; i++) {
        free(threads[i].before.last);
        threads[i] = (struct strand){.number = i, .part = new_part(i)};
        current[i] = NULL;
        thread_of[i] = (int)i;
    }
}

static struct strand *strand_now(int thread) {
    return current[thread] ? current[thread] : &threads[thread];
}

unsigned order_now(int thread) {
    return strand_now(thread)->part;
}

int order_thread_of(unsigned part) {
    return thread_of[strand_of[part]];
}

bool order_before(unsigned part, int thread) {
    const unsigned strand = strand_of[part];
    const struct clock *before = &strand_now(thread)->before;
    return thread_of[strand] == thread || (strand < before->known && part <= before->last[strand]);
}

/* Makes room for the entries of so many strands. */
static void grow(struct clock *clock, unsigned known) {
    if (known <= clock->known)
        return;
    clock->last = realloc(clock->last, known * sizeof *clock->last);
    if (!clock->last)
        our_fault("the check for races has no memory for %u tasks", known);
    __real_memset(clock->last + clock->known, 0, (known - clock->known) * sizeof *clock->last);
    clock->known = known;
}

static void include(struct clock *clock, const struct clock *other) {
    grow(clock, other->known);
    for (unsigned i = 0; i < other->known; i++)
        if (clock->last[i] < other->last[i])
            clock->last[i] = other->last[i];
}

struct strand *order_fork(int thread) {
    struct strand *parent = strand_now(thread);
    struct strand *child = parts + 2 <= MOST_PARTS ? calloc(1, sizeof *child) : NULL;
    if (!child)
        return NULL;
    child->number = strands++;
    child->part = new_part(child->number);
    thread_of[child->number] = thread;
    order_include(&child->before, parent);
    parent->part = new_part(parent->number);
    return child;
}

struct strand *order_switch(int thread, struct strand *strand) {
    struct strand *last = current[thread];
    current[thread] = strand;
    if (strand)
        thread_of[strand->number] = thread;
    return last;
}

void order_include(struct clock *clock, const struct strand *strand) {
    include(clock, &strand->before);
    grow(clock, strand->number + 1);
    clock->last[strand->number] = strand->part;
}

void order_learn(int thread, const struct clock *clock) {
    include(&strand_now(thread)->before, clock);
}
