#include "trace/step_values.h"

#include "check/address.h"

#include <stdlib.h>
#include <string.h>

/* An access of a lane since its warp was replayed last, with the value that it loads or stores. */
struct value {
    uint64_t address;
    uint32_t pc;
    unsigned char width, known;
    unsigned char bytes[STEP_VALUE];
};

static struct lane_log {
    struct value *all;
    size_t count, capacity, next; /* next: the first that no instruction has taken */
} logs[WARP_LANES];

static struct value *stored; /* by the running lane, not yet in memory; or NULL */

void step_values_settle(void) {
    if (stored != NULL) {
        memcpy(stored->bytes, (const void *)(uintptr_t)stored->address, stored->width);
        stored->known = true;
        stored = NULL;
    }
}

void step_values_note(unsigned lane, const void *address, unsigned width, bool store, uint32_t pc,
                      bool readable) {
    struct lane_log *log = &logs[lane];
    if (log->count == log->capacity) {
        const size_t larger = log->capacity ? 2 * log->capacity : 256;
        struct value *all = realloc(log->all, larger * sizeof *all);
        if (all == NULL) {
            return;
        }
        log->all = all;
        log->capacity = larger;
    }
    struct value *v = &log->all[log->count++];
    *v = (struct value){.address = (uint64_t)(uintptr_t)address,
                        .pc = pc,
                        .width = (unsigned char)(width < STEP_VALUE ? width : STEP_VALUE)};
    if (!readable || address_object(sim_worker, address)->kind == MEMORY_UNKNOWN) {
        return;
    }
    stored = v;
    if (!store) {
        step_values_settle();
    }
}

void step_values_forget(void) {
    for (unsigned lane = 0; lane < WARP_LANES; lane++) {
        logs[lane].count = logs[lane].next = 0;
    }
}

bool step_value_of(unsigned lane, uint32_t pc, uint64_t address, unsigned width,
                   unsigned char bytes[STEP_VALUE]) {
    struct lane_log *log = &logs[lane];
    size_t first = log->next;
    while (first < log->count && (log->all[first].pc != pc || log->all[first].address != address)) {
        first++;
    }
    if (first == log->count) {
        return false;
    }
    log->next += first == log->next;
    unsigned known = 0;
    for (size_t i = first; i < log->count && i < first + STEP_VALUE && known < width; i++) {
        const struct value *v = &log->all[i];
        const uint64_t offset = v->address - address;
        if (v->known && offset < width && offset + v->width <= width) {
            memcpy(bytes + offset, v->bytes, v->width);
            known += v->width;
        }
    }
    return known >= width;
}
