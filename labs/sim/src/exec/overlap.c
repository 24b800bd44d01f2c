#include "exec/overlap.h"

#include "memory/footprint.h"

static bool any_waited(const struct worker *w) {
    uint32_t waited = 0;
    for (unsigned i = 0; i < w->block.warp_count; i++) {
        waited |= w->warps[i].waited;
    }
    return waited != 0;
}

void sim_overlap_thread(const struct worker *w, unsigned t) {
    if (sim_overlap.early) {
        const bool waited = w->warps[t / SIM_WARP_SIZE].waited >> t % SIM_WARP_SIZE & 1u;
        sim_footprint = waited ? sim_overlap.late : sim_overlap.early;
    }
}

void sim_overlap_join(struct worker *w) {
    if (sim_overlap.early && any_waited(w)) {
        for (unsigned i = 0; i < w->block.warp_count; i++) {
            w->warps[i].waited = w->warps[i].lanes;
        }
    }
}

void sim_overlap_end(const struct worker *w) {
    sim_overlap.let_go |= sim_overlap.early && !any_waited(w);
}

static void note_waited(struct worker *w) {
    w->warp.state->waited |= 1u << w->lane.thread % SIM_WARP_SIZE;
    sim_overlap.any_waited = true;
    sim_overlap_thread(w, w->lane.thread);
}

void sim_overlap_learn(void) {
    if (sim_overlap.any_waited) {
        note_waited(sim_worker);
    }
}

void sim_wait_for_primary(const char *file, int line) {
    struct worker *w = sim_worker;
    if (w->launch.before_primary) {
        sim_wait(w, AT_PRIMARY, (struct sim_location){file, line}, &w->block.barrier);
    } else if (sim_overlap.early) {
        note_waited(w);
    }
}

void sim_lets_next_begin(void) {
    sim_overlap.let_go |= sim_overlap.early && !any_waited(sim_worker);
}
