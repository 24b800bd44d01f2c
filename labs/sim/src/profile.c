#include "profile.h"

#include "replay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum space { GLOBAL, SHARED, CONSTANT, OTHER };

/* Counters by name: design and Nsight Compute's names stand in the documentation of `grade run`. */
struct site {
    uint64_t code; /* 0: free */
    enum space space;
    uint64_t requests, sectors, wavefronts, ideal, words, lanes;
};

#define SLOTS 65536 /* a power of two; far more than a kernel of a lab has accesses */

static struct site sites[SLOTS];
static unsigned site_count;
static unsigned launch;

extern char __start_sim_constant[] __attribute__((weak));
extern char __stop_sim_constant[] __attribute__((weak));

void profile_begin(void) {
    memset(sites, 0, sizeof sites);
    site_count = 0;
}

static enum space space_of(const struct worker *w, uint64_t address) {
    static const char *from, *to; /* the device allocation met last */
    const char *at = (const char *)(uintptr_t)address;
    if (at >= w->arena && at < w->dynamic_end) {
        return SHARED;
    }
    if (at >= __start_sim_constant && at < __stop_sim_constant) {
        return CONSTANT;
    }
    if (at >= from && at < to) {
        return GLOBAL;
    }
    const struct sim_allocation *owner = sim_owner(at);
    if (owner) {
        from = owner->mapping;
        to = owner->mapping + owner->mapped;
        return GLOBAL;
    }
    return sim_device_end(at) ? GLOBAL : OTHER;
}

/* The site of a code and a space (a generic pointer may reach several); NULL when all are taken. */
static struct site *find(uint64_t code, enum space space) {
    unsigned slot = (unsigned)(code * UINT64_C(0x9e3779b97f4a7c15) >> 40) + (unsigned)space;
    for (unsigned tried = 0; tried < SLOTS; tried++, slot++) {
        struct site *site = &sites[slot % SLOTS];
        if (site->code == 0) {
            site->code = code;
            site->space = space;
            site_count++;
            return site;
        }
        if (site->code == code && site->space == space) {
            return site;
        }
    }
    return NULL;
}

void profile_count(const struct worker *w, uint64_t code, const struct warp_access *access) {
    unsigned lane = (unsigned)__builtin_ctz(access->active);
    enum space space = space_of(w, access->address[lane]);
    struct site *site = find(code, space);
    if (space == OTHER || site == NULL) {
        return;
    }
    bool load = !(code & EVENT_STORE);
    site->requests++;
    site->lanes += (unsigned)__builtin_popcount(access->active);
    if (space == GLOBAL) {
        site->sectors += counters_sectors(access);
    } else if (space == SHARED) {
        site->wavefronts += counters_wavefronts(access, load);
        site->ideal += counters_ideal_wavefronts(access, load);
    } else {
        site->words += counters_constant_words(access);
    }
}

static void write_site(FILE *file, const struct site *s, bool first) {
    static const char *const names[] = {"global", "shared", "constant", "other"};
    fprintf(file,
            "%s{\"pc\":%llu,\"space\":\"%s\",\"store\":%s,\"width\":%u,\"requests\":%llu,"
            "\"lanes\":%llu,\"sectors\":%llu,\"wavefronts\":%llu,\"ideal\":%llu,\"words\":%llu}",
            first ? "" : ",", (unsigned long long)(s->code & UINT32_MAX), names[s->space],
            s->code & EVENT_STORE ? "true" : "false", event_width(s->code),
            (unsigned long long)s->requests, (unsigned long long)s->lanes,
            (unsigned long long)s->sectors, (unsigned long long)s->wavefronts,
            (unsigned long long)s->ideal, (unsigned long long)s->words);
}

void profile_write(const struct sim_config *c, bool complete) {
    const char *path = getenv("CONVLABS_SIM_PROFILE");
    FILE *file = path ? fopen(path, "ae") : NULL;
    if (file == NULL) {
        return;
    }
    fprintf(file,
            "{\"launch\":%u,\"name\":\"%s\",\"file\":\"%s\",\"line\":%d,\"grid\":[%u,%u,%u],"
            "\"block\":[%u,%u,%u],\"shared\":%zu,\"complete\":%s,\"sites\":[",
            launch++, c->kernel, c->file, c->line, c->grid.x, c->grid.y, c->grid.z, c->block.x,
            c->block.y, c->block.z, c->shared + sim_shared_used(), complete ? "true" : "false");
    bool first = true;
    for (unsigned i = 0; i < SLOTS; i++) {
        if (sites[i].code != 0 && sites[i].space != OTHER) {
            write_site(file, &sites[i], first);
            first = false;
        }
    }
    fprintf(file, "]}\n");
    fclose(file);
}
