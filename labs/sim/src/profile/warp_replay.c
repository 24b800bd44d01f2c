#include "profile/warp_replay.h"

#include "profile/unrolled_loops.h"

#include <stdlib.h>
#include <string.h>

/* Makes room for at least two more codes, one of them the end mark. */
static bool grow(struct lane_stream *s) {
    size_t larger = s->capacity ? s->capacity * 2 : 512;
    uint64_t *codes = realloc(s->codes, larger * sizeof *codes);
    s->codes = codes ? codes : s->codes;
    uint64_t *addresses = realloc(s->addresses, larger * sizeof *addresses);
    s->addresses = addresses ? addresses : s->addresses;
    if (codes == NULL || addresses == NULL) {
        return false;
    }
    s->capacity = larger;
    return true;
}

bool lane_stream_mark_after_growth(struct lane_stream *s, uint64_t mark) {
    return grow(s) && lane_stream_mark(s, mark);
}

bool lane_stream_access_after_growth(struct lane_stream *s, uint64_t code, uint64_t address) {
    return grow(s) && lane_stream_access(s, code, address);
}

/* Lanes with the same events from the same position on: the first one represents all. */
struct run {
    uint32_t lanes;
    uint64_t *next; /* the first lane's next event; 0 at the end */
};

/* The replay of one warp. */
struct warp {
    struct lane_stream *streams;
    struct lane_position *positions;
    const uint64_t *address[WARP_LANES]; /* each lane's next */
    struct run runs[WARP_LANES];
    int run_count;
    replay_emit *emit;
    void *context;
};

static unsigned lowest(uint32_t set) {
    return (unsigned)__builtin_ctz(set);
}

static bool agree(const struct lane_stream *a, const struct lane_stream *b) {
    return a->code_count == b->code_count &&
           memcmp(a->codes, b->codes, a->code_count * sizeof *a->codes) == 0;
}

static bool all_agree(const struct warp *w, uint32_t lanes) {
    const struct lane_stream *leader = &w->streams[lowest(lanes)];
    for (uint32_t left = lanes & (lanes - 1); left; left &= left - 1) {
        if (!agree(leader, &w->streams[lowest(left)])) {
            return false;
        }
    }
    return true;
}

static bool same_position(const struct lane_position *a, const struct lane_position *b) {
    return position_compare(a, b) == 0;
}

/* Puts every lane into a run. A lane is compared with the last few runs only: neighbouring lanes
 * usually agree, and two runs instead of one cost time but count the same. */
static void find_runs(struct warp *w, uint32_t lanes) {
    enum { LOOK_BACK = 8 };
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned lane = lowest(left);
        int first = w->run_count > LOOK_BACK ? w->run_count - LOOK_BACK : 0;
        int i = w->run_count - 1;
        while (i >= first &&
               !(agree(&w->streams[lowest(w->runs[i].lanes)], &w->streams[lane]) &&
                 same_position(&w->positions[lowest(w->runs[i].lanes)], &w->positions[lane]))) {
            i--;
        }
        if (i >= first) {
            w->runs[i].lanes |= 1u << lane;
        } else {
            w->runs[w->run_count++] = (struct run){1u << lane, w->streams[lane].codes};
        }
    }
}

/* Issues one instruction of `lanes`, whose next event is an access with this code. */
static void issue(struct warp *w, uint32_t lanes, uint64_t code) {
    struct warp_access access;
    access.active = lanes;
    access.width = event_width(code);
    if (lanes == UINT32_MAX) {
        for (unsigned lane = 0; lane < WARP_LANES; lane++) {
            access.address[lane] = *w->address[lane]++;
        }
    } else {
        for (uint32_t left = lanes; left; left &= left - 1) {
            access.address[lowest(left)] = *w->address[lowest(left)]++;
        }
    }
    w->emit(w->context, code, &access);
}

/* Issues the accesses of a full warp whose lanes agree. */
static void issue_all(struct warp *w, const uint64_t *events) {
    struct warp_access access = {.active = UINT32_MAX};
    const uint64_t *address[WARP_LANES];
    memcpy(address, w->address, sizeof address);
    size_t count = 0;
    for (; *events != 0; events++) {
        if (!SIM_IS_MARK(*events)) {
            access.width = event_width(*events);
            for (unsigned lane = 0; lane < WARP_LANES; lane++) {
                access.address[lane] = address[lane][count];
            }
            count++;
            w->emit(w->context, *events, &access);
        }
    }
}

static void pass_all(struct lane_position *position, const uint64_t *events) {
    for (; *events != 0; events++) {
        if (SIM_IS_MARK(*events)) {
            position_pass(position, *events);
        }
    }
}

/* All lanes have the same events: the k-th accesses are one instruction, whatever the positions of
 * the lanes. */
static void replay_converged(struct warp *w, uint32_t lanes) {
    struct lane_position *leader = &w->positions[lowest(lanes)];
    struct lane_position before;
    position_copy(&before, leader);
    const uint64_t *events = w->runs[0].next;
    if (lanes == UINT32_MAX) {
        issue_all(w, events);
    } else {
        for (const uint64_t *event = events; *event != 0; event++) {
            if (!SIM_IS_MARK(*event)) {
                issue(w, lanes, *event);
            }
        }
    }
    pass_all(leader, events);
    for (uint32_t left = lanes & (lanes - 1); left; left &= left - 1) {
        struct lane_position *position = &w->positions[lowest(left)];
        if (same_position(position, &before)) {
            position_copy(position, leader);
        } else {
            pass_all(position, events);
        }
    }
}

/* The lanes of a set of runs (bit i: runs[i]). */
static uint32_t lanes_of(const struct warp *w, uint32_t runs) {
    uint32_t lanes = 0;
    for (uint32_t left = runs; left; left &= left - 1) {
        lanes |= w->runs[lowest(left)].lanes;
    }
    return lanes;
}

static bool is_access(uint64_t event) {
    return event != 0 && !SIM_IS_MARK(event);
}

/* How many accesses all runs of `group` make before the next block of any of them, if these are the
 * same; otherwise 0. */
static unsigned common_accesses(const struct warp *w, uint32_t group) {
    const uint64_t *leader = w->runs[lowest(group)].next;
    unsigned count = 0;
    while (is_access(leader[count])) {
        count++;
    }
    for (uint32_t left = group & (group - 1); left; left &= left - 1) {
        const uint64_t *other = w->runs[lowest(left)].next;
        for (unsigned i = 0; i < count; i++) {
            if (other[i] != leader[i]) {
                return 0;
            }
        }
        if (is_access(other[count])) {
            return 0;
        }
    }
    return count;
}

/* Is there an access `code` after the next one of a run, before its next mark? */
static bool comes_later(const struct run *run, uint64_t code) {
    for (const uint64_t *event = run->next + 1; is_access(*event); event++) {
        if (*event == code) {
            return true;
        }
    }
    return false;
}

/* The next accesses of the runs of `pending` differ: the one that is to be issued. That is one
 * which none of them makes later; if there is none, because the lanes repeat an access for which
 * there is no mark, that of the run with the most accesses left. */
static uint64_t choose(const struct warp *w, uint32_t pending) {
    size_t most = 0;
    uint64_t longest = 0;
    for (uint32_t left = pending; left; left &= left - 1) {
        const struct run *run = &w->runs[lowest(left)];
        bool later = false;
        for (uint32_t others = pending; others && !later; others &= others - 1) {
            const struct run *other = &w->runs[lowest(others)];
            later = *other->next != *run->next && comes_later(other, *run->next);
        }
        if (!later) {
            return *run->next;
        }
        size_t count = 1;
        while (is_access(run->next[count])) {
            count++;
        }
        if (count > most) {
            most = count;
            longest = *run->next;
        }
    }
    return longest;
}

/* Issues the accesses that the runs of `group` make before their next mark. */
static void run_segment(struct warp *w, uint32_t group) {
    unsigned common = common_accesses(w, group);
    if (common > 0) {
        const uint64_t *codes = w->runs[lowest(group)].next;
        uint32_t lanes = lanes_of(w, group);
        for (unsigned i = 0; i < common; i++) {
            issue(w, lanes, codes[i]);
        }
        for (uint32_t left = group; left; left &= left - 1) {
            w->runs[lowest(left)].next += common;
        }
        return;
    }
    for (;;) {
        uint32_t pending = 0;
        for (uint32_t left = group; left; left &= left - 1) {
            if (is_access(*w->runs[lowest(left)].next)) {
                pending |= left & -left;
            }
        }
        if (pending == 0) {
            return;
        }
        uint64_t code = choose(w, pending);
        uint32_t together = 0;
        for (uint32_t left = pending; left; left &= left - 1) {
            struct run *run = &w->runs[lowest(left)];
            if (*run->next == code) {
                together |= left & -left;
                run->next++;
            }
        }
        issue(w, lanes_of(w, together), code);
    }
}

/* Runs at the same position. */
struct group {
    uint32_t runs;
    struct lane_position position;
};

struct groups {
    struct group all[WARP_LANES];
    int count;
};

/* The divergent replay under way, and its group that runs; for replay_apart(). */
static struct {
    const struct warp *warp;
    const struct groups *groups;
} under_way;

/* The position of a lane; NULL if it has done all that its stream holds. */
static const struct lane_position *position_of(unsigned lane) {
    const struct groups *g = under_way.groups;
    for (int i = 0; g != NULL && i < g->count; i++) {
        if (lanes_of(under_way.warp, g->all[i].runs) >> lane & 1) {
            return &g->all[i].position;
        }
    }
    return NULL;
}

uint32_t replay_apart(unsigned lane, unsigned active) {
    const struct lane_position *a = position_of(active), *b = position_of(lane);
    if (a == NULL || b == NULL) {
        return REPLAY_ENDED;
    }
    int i = 1; /* below the kernel */
    while (i <= a->depth && i <= b->depth && a->level[i].number == b->level[i].number &&
           a->level[i].round == b->level[i].round) {
        i++;
    }
    return i <= a->depth ? a->level[i].number : i <= b->depth ? b->level[i].number : 0;
}

static void copy_group(struct group *to, const struct group *from) {
    to->runs = from->runs;
    position_copy(&to->position, &from->position);
}

static void remove_group(struct groups *g, int at) {
    g->count--;
    if (at != g->count) {
        copy_group(&g->all[at], &g->all[g->count]);
    }
}

/* Joins group `moved` to another group at the same position, if there is one. */
static void join(struct groups *g, int moved) {
    for (int i = 0; i < g->count; i++) {
        if (i != moved && position_compare(&g->all[i].position, &g->all[moved].position) == 0) {
            g->all[i].runs |= g->all[moved].runs;
            remove_group(g, moved);
            return;
        }
    }
}

static int earliest(const struct groups *g) {
    int best = 0;
    for (int i = 1; i < g->count; i++) {
        if (position_compare(&g->all[i].position, &g->all[best].position) < 0) {
            best = i;
        }
    }
    return best;
}

/* Removes from `runs` those whose next event equals that of the first one, advances them past it
 * and returns them. */
static uint32_t take_same(struct warp *w, uint32_t *runs, uint64_t *code) {
    uint32_t same = 0;
    *code = *w->runs[lowest(*runs)].next;
    for (uint32_t left = *runs; left; left &= left - 1) {
        struct run *run = &w->runs[lowest(left)];
        if (*run->next == *code) {
            same |= left & -left;
            run->next += *code != 0;
        }
    }
    *runs &= ~same;
    return same;
}

/* Moves the runs of group `g->all[at]`, which are all before a mark or at their end, to their next
 * positions. */
static void move_on(struct warp *w, struct groups *g, int at) {
    uint64_t code;
    uint32_t rest = g->all[at].runs;
    uint32_t same = take_same(w, &rest, &code);
    if (rest == 0 && code != 0) { /* the usual case */
        position_pass(&g->all[at].position, code);
        if (g->count > 1) {
            join(g, at);
        }
        return;
    }
    struct group from;
    copy_group(&from, &g->all[at]);
    remove_group(g, at);
    for (;;) {
        if (code == 0) { /* the end of the stream: they stay */
            for (uint32_t left = lanes_of(w, same); left; left &= left - 1) {
                position_copy(&w->positions[lowest(left)], &from.position);
            }
        } else {
            struct group *moved = &g->all[g->count++];
            copy_group(moved, &from);
            moved->runs = same;
            position_pass(&moved->position, code);
            join(g, g->count - 1);
        }
        if (rest == 0) {
            return;
        }
        same = take_same(w, &rest, &code);
    }
}

static void replay_divergent(struct warp *w) {
    struct groups groups;
    groups.count = 0;
    for (int i = 0; i < w->run_count; i++) {
        struct group *group = &groups.all[groups.count++];
        group->runs = 1u << i;
        position_copy(&group->position, &w->positions[lowest(w->runs[i].lanes)]);
        join(&groups, groups.count - 1);
    }
    under_way.warp = w;
    under_way.groups = &groups;
    while (groups.count) {
        int next = groups.count == 1 ? 0 : earliest(&groups);
        run_segment(w, groups.all[next].runs);
        move_on(w, &groups, next);
    }
    under_way.groups = NULL;
}

void replay_warp(struct lane_stream streams[WARP_LANES], struct lane_position positions[WARP_LANES],
                 uint32_t lanes, replay_emit *emit, void *context) {
    struct warp w;
    w.streams = streams;
    w.positions = positions;
    w.run_count = 0;
    w.emit = emit;
    w.context = context;
    for (uint32_t left = lanes; left; left &= left - 1) {
        struct lane_stream *s = &streams[lowest(left)];
        if (s->code_count == 0) {
            lanes &= ~(left & -left);
            continue;
        }
        s->codes[s->code_count] = 0; /* the end mark, for which grow() left room */
        w.address[lowest(left)] = s->addresses;
    }
    if (lanes == 0) {
        return;
    }
    if (all_agree(&w, lanes)) {
        w.runs[w.run_count++] = (struct run){lanes, streams[lowest(lanes)].codes};
        replay_converged(&w, lanes);
    } else {
        for (uint32_t left = lanes; left; left &= left - 1) {
            number_unrolled(streams[lowest(left)].codes, streams[lowest(left)].code_count);
        }
        find_runs(&w, lanes);
        replay_divergent(&w);
    }
    for (uint32_t left = lanes; left; left &= left - 1) {
        streams[lowest(left)].code_count = streams[lowest(left)].address_count = 0;
    }
}
