#include "queue/clock.h"

#include "base/options.h"

#include <stdlib.h>
#include <string.h>

#define MOST_ENDED 512 /* operations that are remembered after their end */

static struct sim_async *newest;
static unsigned pending, ended_count;
static uint64_t now, quiet_moments;
static uint32_t numbers[SIM_LANES];     /* of the newest operation of each lane */
static uint32_t host_clock[SIM_LANES];  /* what the host has waited for */
static uint32_t ended_clock[SIM_LANES]; /* what forgotten streams did */
static bool any_overlap, any_dependent;

static void join(uint32_t *clock, const uint32_t *other) {
    for (unsigned i = 0; i < SIM_LANES; i++) {
        clock[i] = clock[i] > other[i] ? clock[i] : other[i];
    }
}

bool sim_async_is_waited(const struct sim_async *w) {
    return host_clock[w->lane] >= w->number;
}

bool sim_async_are_ordered(const struct sim_async *a, const struct sim_async *b) {
    return a->clock[b->lane] >= b->number || b->clock[a->lane] >= a->number;
}

/* Two hold it: its item or operation, and the list. */
static void remember(struct sim_async *w) {
    w->references = 2;
    w->older = newest;
    if (newest) {
        newest->newer = w;
    }
    newest = w;
    pending++;
}

struct sim_async *sim_async_new(const struct sim_stream *stream,
                                const struct sim_operation *operation) {
    struct sim_async *w = sim_checked ? calloc(1, sizeof *w) : NULL;
    if (!w) {
        return NULL;
    }
    w->operation = *operation;
    w->lane = stream->lane == 0 ? 0 : 1 + (stream->lane - 1) % (SIM_LANES - 1);
    w->number = ++numbers[w->lane];
    w->time = ++now;
    memcpy(w->clock, host_clock, sizeof w->clock);
    w->clock[w->lane] = w->number;
    any_dependent = any_dependent || w->operation.begin;
    any_overlap = any_overlap || w->lane != 0 || any_dependent;
    remember(w);
    return w;
}

void sim_async_overlap(struct sim_async *w, struct sim_async *primary) {
    struct sim_async *early = w && primary ? calloc(1, sizeof *early) : NULL;
    if (!early) {
        return;
    }
    *early = (struct sim_async){.operation = w->operation,
                                .lane = w->lane,
                                .number = w->number,
                                .time = w->time,
                                .is_early = true,
                                .primary = primary};
    primary->references++;
    memcpy(early->clock, host_clock, sizeof early->clock);
    w->early = early;
    any_overlap = true;
    remember(early);
}

void sim_async_order_early(struct sim_async *w) {
    struct sim_async *early = w->early, *primary = early->primary;
    uint32_t before[SIM_LANES];
    memcpy(before, primary->clock, sizeof before);
    before[primary->lane] = primary->number - 1;
    join(early->clock, primary->early && primary->let_go ? primary->early->clock : before);
    early->primary = NULL;
    sim_async_release(primary);
}

void sim_async_release(struct sim_async *w) {
    if (w && --w->references == 0) {
        sim_async_release(w->early);
        sim_async_release(w->primary);
        footprint_clear(&w->footprint);
        free(w);
    }
}

void sim_async_join(struct sim_async *w, const struct sim_async *earlier) {
    if (w && earlier) {
        join(w->clock, earlier->clock);
        if (w->early && w->early->primary != earlier) {
            join(w->early->clock, earlier->clock);
        }
    }
}

void sim_async_stream_ends(const struct sim_async *last) {
    if (last) {
        join(ended_clock, last->clock);
    }
}

void sim_async_join_ended(struct sim_async *w) {
    if (w) {
        join(w->clock, ended_clock);
        if (w->early) {
            join(w->early->clock, ended_clock);
        }
    }
}

static void forget(struct sim_async *w) {
    *(w->newer ? &w->newer->older : &newest) = w->older;
    if (w->older) {
        w->older->newer = w->newer;
    }
    ended_count--;
    sim_async_release(w);
}

/* Once nothing is pending, an operation that the host has waited for is ordered with all to
 * come. */
static void forget_waited(void) {
    for (struct sim_async *w = pending ? NULL : newest, *older; w; w = older) {
        older = w->older;
        if (sim_async_is_waited(w)) {
            forget(w);
        }
    }
    quiet_moments += newest == NULL;
}

static void forget_oldest(void) {
    struct sim_async *oldest = NULL;
    for (struct sim_async *w = newest; w; w = w->older) {
        oldest = w->ended ? w : oldest;
    }
    if (oldest) {
        forget(oldest);
    }
}

void sim_async_waited(const struct sim_async *w) {
    if (w) {
        join(host_clock, w->clock);
        forget_waited();
    }
}

void sim_async_waited_for_all(void) {
    if (sim_checked) {
        join(host_clock, numbers);
        forget_waited();
    }
}

void sim_async_ended(struct sim_async *w) {
    w->ended = true;
    pending--;
    if (++ended_count > MOST_ENDED) {
        forget_oldest();
    }
    forget_waited();
}

struct sim_async *sim_async_newest(void) {
    return newest;
}

uint64_t sim_async_time(void) {
    return now;
}

uint64_t sim_async_quiet_moments(void) {
    return quiet_moments;
}

bool sim_async_any_overlap(void) {
    return any_overlap;
}

bool sim_async_any_dependent(void) {
    return any_dependent;
}
