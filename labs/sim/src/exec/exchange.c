#include "sim/exchange.h"

#include "exec/lock_step.h"
#include "exec/thread.h"

#include <stdlib.h>

#define WORDS 8192         /* that are known at once */
#define FIRST_BLOCKS 8     /* of a kernel that are watched to their end, and then */
#define EVERY 64           /* one of so many, */
#define ACCESSES (1 << 17) /* so many accesses of each; */
/* So many where its lanes go together: one may wait for another; in the second half of them it is
 * looked for exchanges again. */
#define TOGETHER (1 << 26)
#define KERNELS 64         /* that are distinguished */
#define SEVERAL UINT16_MAX /* lanes */

_Thread_local bool sim_watching;

/* Who accessed a word since `time`, the last time that anything ordered the lanes; threads of one
 * warp, from 1. */
struct word {
    const volatile void *address;
    uint64_t time;
    uint16_t warp, writer, reader;
};

static _Thread_local unsigned left; /* accesses of the block to look at */
static _Thread_local bool together; /* its lanes wait for each other before each of them */
static bool reported, exchange[KERNELS];
static unsigned ended[KERNELS]; /* blocks of each kernel */

static unsigned kernel_of(const struct worker *w) {
    const struct sim_config *c = w->block.config;
    const uintptr_t kernel =
        (c->function ? (uintptr_t)c->function : (uintptr_t)w->launch.call) >> 4;
    return (kernel ^ kernel >> 6) % KERNELS;
}

/* Lanes go together in the first blocks, and in all once they have exchanged something. A block
 * that begins before enough have ended is one of the first: however many run at the same time, none
 * runs ahead of what they find. */
void sim_exchange_begin(struct worker *w) {
    w->ordered++;
    sim_watching = together = false;
    if (!sim_hooks) {
        const unsigned kernel = kernel_of(w);
        const unsigned before = __atomic_load_n(&ended[kernel], __ATOMIC_ACQUIRE);
        const bool does = __atomic_load_n(&exchange[kernel], __ATOMIC_RELAXED);
        together = before < FIRST_BLOCKS || does;
        left = does ? TOGETHER : ACCESSES;
        sim_watching = together || w->block.index % EVERY == 0;
    }
}

void sim_exchange_end(const struct worker *w) {
    if (!sim_hooks) {
        __atomic_fetch_add(&ended[kernel_of(w)], 1, __ATOMIC_RELEASE);
    }
}

static void report(const struct worker *w, const char *file, int line) {
    __atomic_store_n(&exchange[kernel_of(w)], true, __ATOMIC_RELAXED);
    sim_watching = together;
    left = TOGETHER;
    if (__atomic_exchange_n(&reported, true, __ATOMIC_RELAXED)) {
        return;
    }
    sim_report(&(struct sim_finding){.found = FOUND_EXCHANGE,
                                     .severity = "note",
                                     .kernel = w->block.config->kernel,
                                     .location = {file, line},
                                     .block = &blockIdx,
                                     .thread = &threadIdx});
}

int sim_exchange_access(const volatile void *address, unsigned how, const char *file, int line) {
    struct worker *w = sim_worker;
    if (!w || !w->block.config ||
        (!w->exchanged && !(w->exchanged = calloc(WORDS, sizeof(struct word)))) ||
        sim_is_on_stack(w, address)) {
        return 0;
    }
    if (together) {
        sim_wait_for_warp(w, (const void *)(uintptr_t)(how >> 2));
    }
    if (left == 0 || --left == 0) {
        sim_watching = together = false;
    }
    if (address == NULL || left > TOGETHER / 2) {
        return 0; /* the end of a round, or it is known that its lanes exchange values */
    }
    const uint16_t me = (uint16_t)(w->lane.thread + 1);
    const uint16_t warp = (uint16_t)(w->lane.thread / SIM_WARP_SIZE);
    const uintptr_t number = (uintptr_t)address;
    struct word *it = &((struct word *)w->exchanged)[(number ^ number >> 13) % WORDS];
    if (it->address != address || it->time != w->ordered || it->warp != warp) {
        *it = (struct word){.address = address, .time = w->ordered, .warp = warp};
    }
    const bool loads = how & 1, stores = how & 2;
    if ((loads && it->writer && it->writer != me) || (stores && it->reader && it->reader != me)) {
        report(w, file, line);
        return 0;
    }
    if (loads) {
        it->reader = it->reader && it->reader != me ? SEVERAL : me;
    }
    if (stores) {
        it->writer = me;
    }
    return 0;
}
