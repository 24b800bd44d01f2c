#include "trace/spin.h"

#include "exec/thread.h"

#include <string.h>

#define REPEATED 200 /* reads in a row that give the same */

void spin_note(const volatile void *address, size_t bytes, const void *pc) {
    static struct {
        const volatile void *address;
        uint64_t value, turns;
        unsigned times;
    } last;
    const struct worker *w = sim_worker;
    if (w == NULL || w->block.config == NULL) {
        return;
    }
    uint64_t value = 0;
    memcpy(&value, (const void *)(uintptr_t)address, bytes < sizeof value ? bytes : sizeof value);
    if (address != last.address || value != last.value || w->turns != last.turns) {
        last.address = address;
        last.value = value;
        last.turns = w->turns;
        last.times = 0;
    } else if (++last.times >= REPEATED) {
        last.times = 0;
        sim_give_way((const char *)pc - 1);
    }
}
