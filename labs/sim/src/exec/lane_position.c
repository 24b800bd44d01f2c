#include "exec/lane_position.h"

#include <stddef.h>
#include <string.h>

/* The level of a construct in the running function, or -1. */
static int find(const struct lane_position *p, uint32_t number) {
    for (int i = p->depth; i > 0 && !p->level[i].is_function; i--) {
        if (p->level[i].number == number) {
            return i;
        }
    }
    return -1;
}

static bool has_room(const struct lane_position *p) {
    return p->depth + 1 < POSITION_MAX_DEPTH;
}

/* Makes the construct the innermost level and returns it; it is entered if it is not there. */
static struct level *enter(struct lane_position *p, uint32_t number) {
    int at = find(p, number);
    if (at >= 0) {
        p->depth = at;
    } else {
        p->level[p->depth].passed = (uint64_t)number << 32;
        if (!has_room(p)) {
            return &p->beyond;
        }
        p->level[++p->depth] = (struct level){.number = number};
    }
    return &p->level[p->depth];
}

static void enter_function(struct lane_position *p, uint32_t number) {
    if (p->below > 0 || !has_room(p)) {
        p->below++;
        return;
    }
    p->level[p->depth].passed++;
    p->level[++p->depth] = (struct level){.number = number, .is_function = true};
}

static void leave_function(struct lane_position *p) {
    if (p->below > 0) {
        p->below--;
        return;
    }
    while (p->depth > 0 && !p->level[p->depth].is_function) {
        p->depth--;
    }
    if (p->depth > 0) {
        p->depth--;
        p->level[p->depth].passed++;
    }
}

void position_pass_any(struct lane_position *p, uint64_t mark) {
    const enum sim_mark_kind kind = SIM_KIND_OF(mark);
    const uint32_t number = SIM_NUMBER_OF(mark);
    const unsigned arm = SIM_ARM_OF(mark);
    int at;
    struct level *level;
    if (p->below > 0 && kind != SIM_MARK_FUNCTION && kind != SIM_MARK_RETURN) {
        return;
    }
    switch (kind) {
    case SIM_MARK_FUNCTION:
        enter_function(p, number);
        break;
    case SIM_MARK_RETURN:
        leave_function(p);
        break;
    case SIM_MARK_LOOP:
        level = enter(p, number);
        if (arm & UNROLLED_COPIES) {
            level->round = (arm & UNROLLED_COPIES) << UNROLLED_ROUND_SHIFT;
        }
        level->round++;
        level->passed = 0;
        break;
    case SIM_MARK_ROUND:
        at = find(p, number);
        if (at >= 0) {
            p->depth = at;
            p->level[at].passed = POSITION_END_OF_ROUND;
        }
        break;
    case SIM_MARK_ARM:
        level = enter(p, number);
        level->round = arm;
        level->passed = 0;
        break;
    case SIM_MARK_END:
        at = find(p, number);
        if (at > 0) {
            p->depth = at - 1;
        }
        p->level[p->depth].passed = (uint64_t)number << 32 | POSITION_LEFT;
    }
}

int position_compare(const struct lane_position *a, const struct lane_position *b) {
    for (int i = 0;; i++) {
        const struct level *la = &a->level[i], *lb = &b->level[i];
        if (la->round != lb->round) {
            return la->round < lb->round ? -1 : 1;
        }
        if (la->passed != lb->passed) {
            return la->passed < lb->passed ? -1 : 1;
        }
        if (i == a->depth || i == b->depth) {
            int inside = b->depth - a->depth; /* who is inside goes first */
            return inside != 0 ? inside : b->below - a->below;
        }
        if (a->level[i + 1].number != b->level[i + 1].number) { /* in different functions */
            return a->level[i + 1].number < b->level[i + 1].number ? -1 : 1;
        }
    }
}

void position_copy(struct lane_position *to, const struct lane_position *from) {
    size_t levels = (size_t)from->depth + 1;
    memcpy(to, from, offsetof(struct lane_position, level) + levels * sizeof *from->level);
}
