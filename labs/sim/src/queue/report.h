/* What the checks of asynchrony report. Hold the queue's lock, and not the device's. */
#pragma once

#include "queue/clock.h"

/* What host code has done: an instruction at `pc`, or a call, while work was pending. */
struct host_access {
    const void *pc;
    const char *call; /* of a function that ends memory; NULL: an access */
    struct sim_location location;
    bool written;
    bool synchronises; /* of a flag, which tells what a kernel has done */
    uint64_t time;     /* of the newest operation then */
    struct footprint footprint;
};

/* A finding at the operation's call, which names the operation. */
struct sim_finding sim_async_finding(const struct sim_async *a, enum finding_kind found);

/* Both access the byte `at` and nothing orders them; `a` ran first. */
void sim_async_report_race(const struct sim_async *a, const struct sim_async *b, const void *at);

/* The host accesses or ends memory that the operation, which it has not waited for, uses. */
void sim_async_report_host(struct sim_async *a, const struct host_access *h, const void *at);
