/* Where in the source a lane is, from the marks that it passed.
 *
 * Lanes that a statement separated meet again after it. To replay this from 32 separate runs,
 * positions need an order: the lane at the earliest position goes first, and lanes at the same
 * position go together. A position is a path from the kernel down to the innermost marked
 * construct: a function that was called, a loop or a branch. At each level it says in which round
 * or arm the lane is, and what it has passed there. So a lane in an earlier round comes before one
 * in a later round, a lane inside a construct before one that is past it, and a lane that has
 * returned from the kernel delays no other. */
#pragma once

#include "sim/marks.h"

#include <stdbool.h>
#include <stdint.h>

/* In the arm of a mark of a loop, after number_unrolled() of profile/: which of the loops begins
 * with this round, from 1; 0: the one of the round before. */
#define UNROLLED_COPIES 0xf00u
#define UNROLLED_COPIES_SHIFT 8
#define UNROLLED_ROUND_SHIFT 16 /* of these bits, to the number of a round */

#define POSITION_MAX_DEPTH 48 /* levels; deeper ones are one with the last */

struct level {
    uint32_t number; /* of the construct in the source */
    bool is_function;
    uint32_t round;  /* of a loop, or the arm of a branch; from 1 */
    uint64_t passed; /* the last construct entered or left at this level, and calls made since */
};

/* position_reset(): at the start of the kernel. */
struct lane_position {
    int depth;           /* of the innermost level; the kernel's is level[0] */
    int below;           /* functions entered beyond POSITION_MAX_DEPTH */
    struct level beyond; /* stands for a construct that found no room */
    struct level level[POSITION_MAX_DEPTH];
};

/* Puts a position at the start of the kernel. */
static inline void position_reset(struct lane_position *position) {
    position->depth = position->below = 0;
    position->level[0] = (struct level){.number = 0};
}

/* In `passed`: the construct was left; a value after all constructs of a round. */
#define POSITION_LEFT UINT64_C(0x80000000)
#define POSITION_END_OF_ROUND (UINT64_C(0xffffffff) << 32)

/* Moves a position past a mark: SIM_MARK() of sim/marks.h. Inline for the innermost construct. */
void position_pass_any(struct lane_position *position, uint64_t mark);
static inline void position_pass(struct lane_position *position, uint64_t mark) {
    const uint32_t number = SIM_NUMBER_OF(mark);
    const unsigned arm = SIM_ARM_OF(mark);
    struct level *level = &position->level[position->depth];
    const bool innermost = level->number == number && position->depth > 0 && !level->is_function &&
                           position->below == 0;
    switch (innermost ? SIM_KIND_OF(mark) : SIM_MARK_FUNCTION) {
    case SIM_MARK_LOOP:
        level->round = (arm & UNROLLED_COPIES ? (arm & UNROLLED_COPIES) << UNROLLED_ROUND_SHIFT
                                              : level->round) +
                       1;
        level->passed = 0;
        break;
    case SIM_MARK_ROUND:
        level->passed = POSITION_END_OF_ROUND;
        break;
    case SIM_MARK_ARM:
        level->round = arm;
        level->passed = 0;
        break;
    case SIM_MARK_END:
        position->level[--position->depth].passed = (uint64_t)number << 32 | POSITION_LEFT;
        break;
    default:
        position_pass_any(position, mark);
    }
}

/* Negative, 0 or positive if `a` comes before, at or after `b`. */
int position_compare(const struct lane_position *a, const struct lane_position *b);

/* Copies the levels that are in use. */
void position_copy(struct lane_position *to, const struct lane_position *from);
