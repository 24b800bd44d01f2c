/* Every warp instruction of a run, for questions about it. Kept only if CONVLABS_SIM_ACCESSES names
 * a file, and only while all of it is small. */
#pragma once

#include "profile/access_cost.h"

#include <stddef.h>

/* One instruction of warp `warp` of the running block. */
struct traced_access {
    unsigned launch, warp;
    uint64_t code;
    const char *space;
    uint64_t origin;   /* its addresses are written as offsets from there */
    const char *array; /* the name of the allocation or of the shared variable, or NULL */
    size_t bytes;      /* its size; 0: unknown */
    size_t start;      /* of a shared variable: where it begins, counted from the origin */
    const struct warp_access *access;
};

/* Appends one instruction, a line of JSON; after some megabytes nothing more. */
void access_trace_note(const struct traced_access *traced);

/* A launch has ended: what was noted is written. */
void access_trace_write(void);
