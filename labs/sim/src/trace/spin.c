#include "trace/spin.h"

#include "exec/thread.h"

#include <string.h>

#define REPEATED 200 /* reads in a row that give what the thread has read before, */
#define AGAIN 10     /* or so many when it has just waited for others in vain */
#define MANY 4096    /* reads after which it gives way all the same: it may poll more words */

/* Does the thread read what it has read before? Remembers it. */
static bool is_known(struct polls *me, const volatile void *address, uint64_t value) {
    struct poll *polls = me->last;
    const struct poll read = {address, value};
    unsigned i = 0;
    while (i < POLLS - 1 && polls[i].address != address) {
        i++;
    }
    const bool known = polls[i].address == address && polls[i].value == value;
    for (; i > 0; i--) {
        polls[i] = polls[i - 1];
    }
    polls[0] = read;
    return known;
}

/* Has the thread read, or passed a fence, so often that others get a turn? Nothing says that it
 * waits in vain. */
static bool gives_way(struct worker *w, struct polls *me, const void *pc) {
    if (++me->reads < MANY) {
        return false;
    }
    me->reads = 0;
    w->block.preempted = true;
    sim_give_way((const char *)pc - 1);
    return true;
}

void spin_fence(const void *pc) {
    struct worker *w = sim_worker;
    gives_way(w, &w->polls[w->lane.thread], pc);
}

bool spin_note(const volatile void *address, size_t bytes, const void *pc) {
    struct worker *w = sim_worker;
    if (w == NULL || w->block.config == NULL) {
        return false;
    }
    struct polls *me = &w->polls[w->lane.thread];
    uint64_t value = 0;
    memcpy(&value, (const void *)(uintptr_t)address, bytes < sizeof value ? bytes : sizeof value);
    const bool known = is_known(me, address, value);
    if (gives_way(w, me, pc)) {
        return true;
    }
    if (!known) {
        w->block.progress |= me->stalled;
        me->stalled = false;
        me->repeated = 0;
    } else if (++me->repeated >= (me->stalled ? AGAIN : REPEATED)) {
        me->repeated = me->reads = 0;
        w->block.stalled |= me->stalled;
        me->stalled = true;
        sim_give_way((const char *)pc - 1);
        return true;
    }
    return false;
}
