#include "profile/worst_access.h"

#include "base/options.h"
#include "base/record.h"
#include "exec/thread.h"
#include "profile/warp_replay.h"

#include <stdio.h>
#include <stdlib.h>

/* Limits of the file: half a megabyte. */
enum { MAX_SITES = 64, MAX_LAUNCHES = 16, LINE = 128 };

static struct {
    unsigned cost, lanes; /* 0 lanes: nothing is kept */
    uint3 block;
    struct warp_access access;
} kept[MAX_SITES];

bool worst_access_on;

void worst_access_begin(void) {
    worst_access_on = sim_options.warps != NULL;
    for (unsigned i = 0; i < MAX_SITES; i++) {
        kept[i].cost = kept[i].lanes = 0;
    }
}

void worst_access_note(uint32_t site, unsigned cost, const struct warp_access *access) {
    if (site >= MAX_SITES) {
        return;
    }
    unsigned lanes = (unsigned)__builtin_popcount(access->active);
    if (cost > kept[site].cost || (cost == kept[site].cost && lanes > kept[site].lanes)) {
        kept[site].cost = cost;
        kept[site].lanes = lanes;
        kept[site].block = blockIdx;
        kept[site].access = *access;
    }
}

/* The start of the cache line of the lowest address. */
static uint64_t origin(const struct warp_access *a) {
    uint64_t lowest = UINT64_MAX;
    for (uint32_t left = a->active; left; left &= left - 1) {
        uint64_t address = a->address[__builtin_ctz(left)];
        lowest = address < lowest ? address : lowest;
    }
    return lowest - lowest % LINE;
}

void worst_access_write(uint32_t site, unsigned launch, uint64_t code, const char *space) {
    if (!worst_access_on || site >= MAX_SITES || launch >= MAX_LAUNCHES || kept[site].lanes == 0) {
        return;
    }
    static struct sim_record record = {EVIDENCE_WARP, false};
    char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);
    if (file == NULL) {
        return;
    }
    const struct warp_access *a = &kept[site].access;
    const uint3 *block = &kept[site].block;
    fprintf(file,
            "{\"launch\":%u,\"pc\":%llu,\"space\":\"%s\",\"store\":%s,\"width\":%u,\"cost\":%u,"
            "\"block\":[%u,%u,%u],\"active\":%u,\"offsets\":[",
            launch, (unsigned long long)(code & UINT32_MAX), space,
            code & EVENT_STORE ? "true" : "false", a->width, kept[site].cost, block->x, block->y,
            block->z, a->active);
    const uint64_t from = origin(a);
    for (uint32_t left = a->active; left; left &= left - 1) {
        fprintf(file, "%s%llu", left == a->active ? "" : ",",
                (unsigned long long)(a->address[__builtin_ctz(left)] - from));
    }
    fprintf(file, "]}\n");
    if (fclose(file) == 0) {
        sim_record(&record, sim_options.warps, text, length);
    }
    free(text);
}
