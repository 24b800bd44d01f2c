#include "trace/spin.h"

#include "exec/thread.h"

#include <string.h>

#define REPEATED 200 /* reads in a row that give what the thread has read before */

/* Does the thread read what it has read before? Remembers it. */
static bool is_known(struct thread *me, const volatile void *address, uint64_t value) {
    struct poll *polls = me->polls;
    unsigned i = 0;
    while (i < POLLS - 1 && polls[i].address != address) {
        i++;
    }
    const bool known = polls[i].address == address && polls[i].value == value;
    memmove(polls + 1, polls, i * sizeof *polls);
    polls[0] = (struct poll){address, value};
    return known;
}

bool spin_note(const volatile void *address, size_t bytes, const void *pc) {
    struct worker *w = sim_worker;
    if (w == NULL || w->block.config == NULL) {
        return false;
    }
    struct thread *me = &w->thread[w->lane.thread];
    uint64_t value = 0;
    memcpy(&value, (const void *)(uintptr_t)address, bytes < sizeof value ? bytes : sizeof value);
    if (!is_known(me, address, value)) {
        w->block.progress |= me->stalled;
        me->stalled = false;
        me->repeated = 0;
    } else if (++me->repeated >= REPEATED) {
        me->repeated = 0;
        w->block.stalled |= me->stalled;
        me->stalled = true;
        sim_give_way((const char *)pc - 1);
        return true;
    }
    return false;
}
