#include "sim/exchange.h"

#include "exec/thread.h"

#include <stdlib.h>

#define WORDS 8192         /* that are known at once */
#define FIRST_BLOCKS 8     /* of a kernel that are watched, and then */
#define EVERY 64           /* one of so many, */
#define ACCESSES (1 << 17) /* so many accesses of each */
#define KERNELS 64         /* that are told apart */
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
static bool reported;

void sim_exchange_begin(struct worker *w) {
    static unsigned begun[KERNELS];
    w->ordered++;
    sim_watching = false;
    if (!__atomic_load_n(&reported, __ATOMIC_RELAXED) && !sim_hooks) {
        const uintptr_t kernel = (uintptr_t)w->launch.call >> 4;
        const unsigned before =
            __atomic_fetch_add(&begun[(kernel ^ kernel >> 6) % KERNELS], 1, __ATOMIC_RELAXED);
        left = ACCESSES;
        sim_watching = before < FIRST_BLOCKS || w->block.index % EVERY == 0;
    }
}

static void report(const struct worker *w, const char *file, int line) {
    sim_watching = false;
    if (__atomic_exchange_n(&reported, true, __ATOMIC_RELAXED)) {
        return;
    }
    struct sim_finding finding = {.severity = "note",
                                  .kind = "exchange",
                                  .kernel = w->block.config->kernel,
                                  .location = {file, line},
                                  .block = &blockIdx,
                                  .thread = &threadIdx};
    sim_report(&finding, "lanes exchange values with no barrier: a GPU may compute something else; "
                         "run with --check");
}

int sim_exchange_access(const volatile void *address, unsigned how, const char *file, int line) {
    struct worker *w = sim_worker;
    if (!w || !w->block.config ||
        (!w->exchanged && !(w->exchanged = calloc(WORDS, sizeof(struct word)))) ||
        sim_is_on_stack(w, address)) {
        return 0;
    }
    sim_watching = --left > 0;
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
