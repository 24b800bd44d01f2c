#include "queue/check.h"

#include "queue/host_access.h"
#include "queue/overlap.h"
#include "queue/report.h"

/* A byte that both touch and one of them writes; NULL: none. */
static const void *conflict(const struct sim_async *a, const struct sim_async *b) {
    const void *at = footprint_conflict(&a->footprint, &b->footprint);
    for (unsigned i = 0; !at && i < a->operation.range_count; i++) {
        at = range_meets_footprint(&a->operation.ranges[i], &b->footprint);
        for (unsigned k = 0; !at && k < b->operation.range_count; k++) {
            at = ranges_meet(&a->operation.ranges[i], &b->operation.ranges[k]);
        }
    }
    for (unsigned i = 0; !at && i < b->operation.range_count; i++) {
        at = range_meets_footprint(&b->operation.ranges[i], &a->footprint);
    }
    return at;
}

bool sim_async_begin(struct sim_async *w) {
    if (!w) {
        return true;
    }
    if (w->operation.kind == SIM_OP_HOST_CALL) {
        sim_async_host_call(w);
        sim_async_waited(w); /* it may tell the host by means of its own */
    }
    return sim_async_check_memory(w);
}

void sim_async_observe(struct sim_async *w) {
    const bool matters = w && w->operation.kind == SIM_OP_KERNEL &&
                         (sim_async_any_overlap() || sim_async_shares_memory());
    sim_overlap = (struct sim_overlap){.late = matters ? &w->footprint : NULL,
                                       .early = matters && w->early ? &w->early->footprint : NULL};
    sim_footprint = sim_overlap.early ? sim_overlap.early : sim_overlap.late;
}

/* It has run: compares it with all that have and that nothing orders with it. */
static void end(struct sim_async *w) {
    for (const struct sim_async *other = sim_async_newest(); other; other = other->older) {
        const void *at = other != w && other->ended && !sim_async_are_ordered(w, other)
                             ? conflict(other, w)
                             : NULL;
        if (at) {
            sim_async_report_race(other, w, at);
        }
    }
    sim_async_compare_with_host(w);
    sim_async_ended(w);
}

void sim_async_end(struct sim_async *w) {
    if (!w) {
        return;
    }
    sim_async_host_call(NULL);
    if (w->early) {
        sim_async_order_early(w);
        end(w->early);
    }
    end(w);
}

void sim_async_report_pending(void) {
    bool reported[SIM_LANES] = {false};
    for (const struct sim_async *w = sim_async_newest(); w; w = w->older) {
        bool works = w->operation.kind <= SIM_OP_HOST_CALL;
        if (sim_async_is_waited(w) || !works || reported[w->lane]) {
            continue;
        }
        reported[w->lane] = true;
        const struct sim_finding f = sim_async_finding(w, FOUND_NEVER_WAITED);
        sim_report_once(&f);
    }
}
