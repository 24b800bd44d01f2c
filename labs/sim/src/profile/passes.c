#include "profile/passes.h"

#include <stdlib.h>
#include <string.h>

/* A place and its passes: of the running lane, the most of any lane of the warp, of the launch. */
struct place {
    uint32_t address;
    uint32_t lane, warp;
    uint64_t launch;
};

/* A hash table, and the slots that the running lane and its warp have passed. */
static struct {
    struct place *slots;
    uint32_t *lane_used, *warp_used;
    uint32_t capacity, count, lane_count, warp_count;
} table;

static struct place *find(struct place *slots, uint32_t capacity, uint32_t address) {
    uint32_t slot = (uint32_t)(address * UINT32_C(0x9e3779b1) >> 8);
    while (slots[slot & (capacity - 1)].address != 0 &&
           slots[slot & (capacity - 1)].address != address) {
        slot++;
    }
    return &slots[slot & (capacity - 1)];
}

/* Rewrites a list of slots for a table that has grown. */
static void renumber(uint32_t *list, uint32_t count, struct place *slots, uint32_t capacity) {
    for (uint32_t i = 0; i < count; i++) {
        list[i] = (uint32_t)(find(slots, capacity, table.slots[list[i]].address) - slots);
    }
}

static bool grow(void) {
    const uint32_t capacity = table.capacity ? table.capacity * 2 : 1024;
    struct place *slots = calloc(capacity, sizeof *slots);
    uint32_t *lane_used = realloc(table.lane_used, capacity * sizeof *lane_used);
    table.lane_used = lane_used ? lane_used : table.lane_used;
    uint32_t *warp_used = realloc(table.warp_used, capacity * sizeof *warp_used);
    table.warp_used = warp_used ? warp_used : table.warp_used;
    if (slots == NULL || lane_used == NULL || warp_used == NULL) {
        free(slots);
        return false;
    }
    for (uint32_t i = 0; i < table.capacity; i++) {
        if (table.slots[i].address != 0) {
            *find(slots, capacity, table.slots[i].address) = table.slots[i];
        }
    }
    renumber(table.lane_used, table.lane_count, slots, capacity);
    renumber(table.warp_used, table.warp_count, slots, capacity);
    free(table.slots);
    table.slots = slots;
    table.capacity = capacity;
    return true;
}

void passes_begin(void) {
    if (table.slots) {
        memset(table.slots, 0, table.capacity * sizeof *table.slots);
    }
    table.count = table.lane_count = table.warp_count = 0;
}

bool passes_add(uint32_t address) {
    if (table.count * 2 >= table.capacity && !grow()) {
        return false;
    }
    struct place *place = find(table.slots, table.capacity, address);
    if (place->address == 0) {
        place->address = address;
        table.count++;
    }
    if (place->lane++ == 0) {
        table.lane_used[table.lane_count++] = (uint32_t)(place - table.slots);
    }
    return true;
}

void passes_next_lane(void) {
    for (uint32_t i = 0; i < table.lane_count; i++) {
        struct place *place = &table.slots[table.lane_used[i]];
        if (place->warp == 0) {
            table.warp_used[table.warp_count++] = table.lane_used[i];
        }
        place->warp = place->lane > place->warp ? place->lane : place->warp;
        place->lane = 0;
    }
    table.lane_count = 0;
}

uint64_t passes_end_warp(uint64_t weight) {
    uint64_t sum = 0;
    passes_next_lane();
    for (uint32_t i = 0; i < table.warp_count; i++) {
        struct place *place = &table.slots[table.warp_used[i]];
        place->launch += weight * place->warp;
        sum += place->warp;
        place->warp = 0;
    }
    table.warp_count = 0;
    return sum;
}

void passes_write(FILE *file, uint64_t divisor) {
    const char *separator = "";
    fprintf(file, "[");
    for (uint32_t i = 0; i < table.capacity; i++) {
        if (table.slots[i].launch != 0) {
            fprintf(file, "%s[%u,%llu]", separator, table.slots[i].address,
                    (unsigned long long)((table.slots[i].launch + divisor / 2) / divisor));
            separator = ",";
        }
    }
    fprintf(file, "]");
}
