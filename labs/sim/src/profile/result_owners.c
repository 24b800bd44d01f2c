#include "profile/result_owners.h"

#include "memory/allocations.h"

#include <stdlib.h>
#include <string.h>

enum {
    REGIONS = 4,
    MOST_BYTES = 1 << 22, /* of a region: of a larger one, no owner is known */
};

/* Memory of results. owner: of each byte, 1 + the launch that stored it last, or 0. */
struct region {
    uint64_t allocation; /* its number; 0: free */
    const char *from, *to;
    uint16_t *owner;
};

static struct region regions[REGIONS];
static unsigned next; /* region to be replaced */

static struct {
    const char *from, *to;
} other; /* the last allocation that is no result */

static unsigned running; /* launch */
static uint64_t stored, owned;
static uint32_t taken[MOST_LAUNCHES + 1]; /* from each launch, by 1 + its number */

void results_begin(unsigned launch) {
    running = launch;
    stored = owned = 0;
    other.from = other.to = NULL;
    memset(taken, 0, sizeof taken);
}

static struct region *begin_region(const struct sim_allocation *a) {
    struct region *r = &regions[next++ % REGIONS];
    free(r->owner);
    *r = (struct region){a->number, a->base, a->base + a->bytes, NULL};
    if (a->bytes <= MOST_BYTES && (r->owner = calloc(a->bytes, sizeof *r->owner)) == NULL) {
        *r = (struct region){0};
        return NULL;
    }
    return r;
}

/* The region that holds an address. *is_result: whether there is one. NULL: none, or no memory. */
static struct region *region_of(const char *at, bool *is_result) {
    *is_result = false;
    if (at >= other.from && at < other.to) {
        return NULL;
    }
    const struct sim_allocation *a = sim_owner(at);
    if (a == NULL || !a->is_result) {
        other.from = a ? a->mapping : NULL;
        other.to = a ? a->mapping + a->mapped : NULL;
        return NULL;
    }
    *is_result = true;
    for (unsigned i = 0; i < REGIONS; i++) {
        if (regions[i].allocation == a->number) {
            return &regions[i];
        }
    }
    return begin_region(a);
}

static void own(struct region *r, const char *at, unsigned width) {
    for (const char *byte = at; byte < at + width && byte < r->to; byte++) {
        uint16_t *owner = &r->owner[byte - r->from];
        if (*owner != running + 1) {
            taken[*owner]++;
            *owner = (uint16_t)(running + 1);
            owned++;
        }
    }
}

bool results_store(const struct warp_access *access, uint64_t weight) {
    for (uint32_t left = access->active; left; left &= left - 1) {
        const char *at = (const char *)(uintptr_t)access->address[__builtin_ctz(left)];
        bool is_result;
        struct region *r = region_of(at, &is_result);
        if (is_result && r == NULL) {
            return false;
        }
        stored += is_result ? weight * access->width : 0;
        if (r != NULL && r->owner != NULL && at >= r->from) {
            own(r, at, access->width);
        } else {
            owned += is_result;
        }
    }
    return true;
}

void results_write(FILE *file, uint64_t divisor) {
    if (stored == 0) {
        return;
    }
    fprintf(file, ",\"result_bytes\":%llu,\"result_owned\":%llu,\"result_taken\":[",
            (unsigned long long)((stored + divisor / 2) / divisor), (unsigned long long)owned);
    const char *before = "";
    for (unsigned i = 1; i <= running; i++) {
        if (taken[i] > 0) {
            fprintf(file, "%s[%u,%u]", before, i - 1, taken[i]);
            before = ",";
        }
    }
    fprintf(file, "]");
}
