#include "exec/tile.h"

#include "exec/hooks.h"

#include <string.h>

void sim_tile_barrier(unsigned threads, const char *file, int line) {
    struct worker *w = sim_worker;
    struct thread *me = &w->thread[w->lane.thread];
    me->tile = threads;
    sim_wait(w, AT_TILE, (struct sim_location){file, line}, &me->value);
}

void sim_tile_exchange(unsigned threads, const void *value, size_t bytes, struct sim_ranks ranks,
                       void *all, const char *file, int line) {
    struct worker *w = sim_worker;
    unsigned first = w->lane.thread / threads * threads;
    memcpy(w->offered[w->lane.thread], value, bytes);
    sim_tile_barrier(threads, file, line);
    char *to = all;
    for (unsigned rank = ranks.first; rank < threads && first + rank < w->block.count;
         rank += ranks.step) {
        memcpy(to, w->offered[first + rank], bytes);
        to += bytes;
    }
    sim_tile_barrier(threads, file, line); /* or one offers its next value too early */
}

/* Do all threads of the tile that begins with warp `first` wait at its barrier? */
static bool is_complete(const struct worker *w, unsigned first, unsigned last, unsigned threads) {
    for (unsigned i = first; i < last; i++) {
        const struct warp *warp = &w->warps[i];
        if (warp->in[AT_TILE] != warp->lanes) {
            return false;
        }
        for (unsigned t = 0; t < (unsigned)__builtin_popcount(warp->lanes); t++) {
            if (w->thread[i * SIM_WARP_SIZE + t].tile != threads) {
                return false;
            }
        }
    }
    return true;
}

bool sim_open_tiles(struct worker *w) {
    bool opened = false;
    for (unsigned i = 0; i < w->block.warp_count; i++) {
        if (!w->warps[i].in[AT_TILE]) {
            continue;
        }
        unsigned lane = (unsigned)__builtin_ctz(w->warps[i].in[AT_TILE]);
        unsigned threads = w->thread[i * SIM_WARP_SIZE + lane].tile;
        unsigned warps = threads / SIM_WARP_SIZE, first = i / warps * warps;
        unsigned last = first + warps < w->block.warp_count ? first + warps : w->block.warp_count;
        if (!is_complete(w, first, last, threads)) {
            continue;
        }
        if (sim_hooks && !opened) {
            sim_hooks->barrier(); /* orders more than the tile does, but never less */
        }
        for (unsigned k = first; k < last; k++) {
            w->warps[k].in[READY] = w->warps[k].in[AT_TILE];
            w->warps[k].in[AT_TILE] = 0;
        }
        opened = true;
        w->ordered++;
    }
    return opened;
}
