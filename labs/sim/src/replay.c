#include "replay.h"

#include <stdlib.h>
#include <string.h>

/* Makes room for one more element of 8 bytes. */
static bool make_room(uint64_t **array, size_t count, size_t *capacity) {
    if (count < *capacity) {
        return true;
    }
    size_t larger = *capacity ? *capacity * 2 : 256;
    uint64_t *moved = realloc(*array, larger * sizeof **array);
    if (moved == NULL) {
        return false;
    }
    *array = moved;
    *capacity = larger;
    return true;
}

bool lane_stream_block(struct lane_stream *s, uint32_t pc) {
    if (!make_room(&s->codes, s->code_count, &s->code_capacity)) {
        return false;
    }
    s->codes[s->code_count++] = event_block(pc);
    return true;
}

bool lane_stream_access(struct lane_stream *s, uint64_t code, uint64_t address) {
    if (!make_room(&s->codes, s->code_count, &s->code_capacity) ||
        !make_room(&s->addresses, s->address_count, &s->address_capacity)) {
        return false;
    }
    s->codes[s->code_count++] = code;
    s->addresses[s->address_count++] = address;
    return true;
}

void lane_stream_release(struct lane_stream *s) {
    free(s->codes);
    free(s->addresses);
    memset(s, 0, sizeof *s);
}

/* The replay of one warp: each lane's cursors into its stream. */
struct warp {
    struct flow *flow;
    struct lane_stream *streams;
    struct flow_place *places;
    size_t code[WARP_LANES], address[WARP_LANES];
    replay_emit *emit;
    void *context;
};

static unsigned first_lane(uint32_t lanes) {
    return (unsigned)__builtin_ctz(lanes);
}

/* The lane's next event, or 0 at the end of its stream. */
static uint64_t upcoming(const struct warp *w, unsigned lane) {
    const struct lane_stream *s = &w->streams[lane];
    return w->code[lane] < s->code_count ? s->codes[w->code[lane]] : 0;
}

static bool agree(const struct lane_stream *a, const struct lane_stream *b) {
    return a->code_count == b->code_count &&
           memcmp(a->codes, b->codes, a->code_count * sizeof *a->codes) == 0;
}

static bool all_agree(const struct warp *w, uint32_t lanes) {
    const struct lane_stream *leader = &w->streams[first_lane(lanes)];
    for (uint32_t left = lanes & (lanes - 1); left; left &= left - 1) {
        if (!agree(leader, &w->streams[first_lane(left)])) {
            return false;
        }
    }
    return true;
}

/* One instruction of the lanes of `group`, which all stand before an access with this code. */
static void issue(struct warp *w, uint32_t group, uint64_t code) {
    struct warp_access access;
    access.active = group;
    access.width = event_width(code);
    for (uint32_t left = group; left; left &= left - 1) {
        unsigned lane = first_lane(left);
        access.address[lane] = w->streams[lane].addresses[w->address[lane]++];
        w->code[lane]++;
    }
    w->emit(w->context, code, &access);
}

/* Adds the edges that a lane took to the graph. */
static bool learn(struct warp *w, unsigned lane) {
    const struct lane_stream *s = &w->streams[lane];
    int from = w->places[lane].node;
    for (size_t i = 0; i < s->code_count; i++) {
        if (s->codes[i] & EVENT_BLOCK) {
            int to = flow_node(w->flow, (uint32_t)s->codes[i]);
            if (to == 0 || !flow_edge(w->flow, from, to)) {
                return false;
            }
            from = to;
        }
    }
    return true;
}

static bool same_place(const struct flow_place *a, const struct flow_place *b) {
    size_t used = (size_t)a->depth;
    return a->node == b->node && a->depth == b->depth && a->apart == b->apart &&
           memcmp(a->head, b->head, used * sizeof *a->head) == 0 &&
           memcmp(a->iteration, b->iteration, used * sizeof *a->iteration) == 0;
}

/* All lanes did the same: the k-th accesses are one instruction. */
static void replay_together(struct warp *w, uint32_t lanes) {
    unsigned leader = first_lane(lanes);
    struct flow_place before = w->places[leader];
    uint64_t code;
    while ((code = upcoming(w, leader)) != 0) {
        if (code & EVENT_BLOCK) {
            flow_step(w->flow, &w->places[leader], flow_node(w->flow, (uint32_t)code));
            for (uint32_t left = lanes; left; left &= left - 1) {
                w->code[first_lane(left)]++;
            }
        } else {
            issue(w, lanes, code);
        }
    }
    for (uint32_t left = lanes & (lanes - 1); left; left &= left - 1) {
        unsigned lane = first_lane(left);
        if (same_place(&w->places[lane], &before)) {
            w->places[lane] = w->places[leader];
            continue;
        }
        for (size_t i = 0; i < w->streams[lane].code_count; i++) {
            uint64_t event = w->streams[lane].codes[i];
            if (event & EVENT_BLOCK) {
                flow_step(w->flow, &w->places[lane], flow_node(w->flow, (uint32_t)event));
            }
        }
    }
}

/* Issues the accesses that the lanes of `group` make before their next block. In one block they
 * are the same; lanes that came back from a call in different places may differ. */
static void run_block(struct warp *w, uint32_t group) {
    for (uint32_t pending = group; pending;) {
        uint64_t code = upcoming(w, first_lane(pending));
        if (code == 0 || code & EVENT_BLOCK) {
            pending &= pending - 1;
            continue;
        }
        uint32_t together = 0;
        for (uint32_t left = pending; left; left &= left - 1) {
            if (upcoming(w, first_lane(left)) == code) {
                together |= left & -left;
            }
        }
        issue(w, together, code);
    }
}

/* Lanes that stand at the same place. */
struct group {
    uint32_t lanes;
    struct flow_place place;
};

struct groups {
    struct group all[WARP_LANES];
    int count;
};

/* Puts lanes at a place: into the group that stands there, or into one of their own. */
static void join(const struct flow *flow, struct groups *g, uint32_t lanes,
                 const struct flow_place *place) {
    for (int i = 0; i < g->count; i++) {
        if (flow_compare(flow, &g->all[i].place, place) == 0) {
            g->all[i].lanes |= lanes;
            return;
        }
    }
    g->all[g->count++] = (struct group){lanes, *place};
}

static int earliest(const struct flow *flow, const struct groups *g) {
    int best = 0;
    for (int i = 1; i < g->count; i++) {
        if (flow_compare(flow, &g->all[i].place, &g->all[best].place) < 0) {
            best = i;
        }
    }
    return best;
}

/* Sends the lanes of a group, all before a block or at their end, on to where each goes next. */
static void move_on(struct warp *w, struct groups *g, struct group group) {
    while (group.lanes) {
        uint64_t code = upcoming(w, first_lane(group.lanes));
        uint32_t together = 0;
        for (uint32_t left = group.lanes; left; left &= left - 1) {
            unsigned lane = first_lane(left);
            if (upcoming(w, lane) == code) {
                together |= left & -left;
                w->code[lane] += code != 0;
                w->places[lane] = group.place; /* where it stays, if this is its end */
            }
        }
        group.lanes &= ~together;
        if (code != 0) {
            struct flow_place next = group.place;
            flow_step(w->flow, &next, flow_node(w->flow, (uint32_t)code));
            join(w->flow, g, together, &next);
        }
    }
}

static void replay_apart(struct warp *w, uint32_t lanes) {
    struct groups groups = {.count = 0};
    for (uint32_t left = lanes; left; left &= left - 1) {
        join(w->flow, &groups, left & -left, &w->places[first_lane(left)]);
    }
    while (groups.count) {
        int next = earliest(w->flow, &groups);
        struct group group = groups.all[next];
        groups.all[next] = groups.all[--groups.count];
        run_block(w, group.lanes);
        move_on(w, &groups, group);
    }
}

bool replay_warp(struct flow *flow, struct lane_stream streams[WARP_LANES],
                 struct flow_place places[WARP_LANES], uint32_t lanes, replay_emit *emit,
                 void *context) {
    if (lanes == 0) {
        return true;
    }
    struct warp w = {.flow = flow, .streams = streams, .places = places, .emit = emit,
                     .context = context};
    bool together = all_agree(&w, lanes);
    for (uint32_t left = together ? lanes & -lanes : lanes; left; left &= left - 1) {
        if (!learn(&w, first_lane(left))) {
            return false;
        }
    }
    if (flow_order(flow) == 0) {
        return false;
    }
    for (uint32_t left = lanes; left; left &= left - 1) {
        flow_refresh(flow, &places[first_lane(left)]);
    }
    if (together) {
        replay_together(&w, lanes);
    } else {
        replay_apart(&w, lanes);
    }
    for (uint32_t left = lanes; left; left &= left - 1) {
        streams[first_lane(left)].code_count = streams[first_lane(left)].address_count = 0;
    }
    return true;
}
