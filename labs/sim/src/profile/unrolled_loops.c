#include "profile/unrolled_loops.h"

#include "exec/lane_position.h"
#include "sim/marks.h"

#include <stdbool.h>

#define MOST_COPIES 4

/* One of the loops that an unrolled loop becomes: from this round on. */
struct copy {
    size_t first;
    unsigned number;
};

static unsigned unrolling(uint64_t event) {
    bool is_loop = SIM_IS_MARK(event) && SIM_KIND_OF(event) == SIM_MARK_LOOP;
    return is_loop && SIM_ARM_OF(event) & SIM_UNROLLED ? SIM_ARM_OF(event) : 0;
}

/* Does an event belong to the rounds of this loop? Its marks rise in the order of the source, and
 * it calls nothing. */
static bool is_within(uint64_t event, uint32_t loop) {
    if (!SIM_IS_MARK(event)) {
        return true;
    }
    switch (SIM_KIND_OF(event)) {
    case SIM_MARK_LOOP:
    case SIM_MARK_ROUND:
        return SIM_NUMBER_OF(event) == loop;
    case SIM_MARK_ARM:
    case SIM_MARK_END:
        return SIM_NUMBER_OF(event) > loop;
    default:
        return false;
    }
}

/* The first rounds of the loops that `rounds` rounds are divided into. */
static unsigned divide(size_t rounds, unsigned how, struct copy copies[MOST_COPIES]) {
    unsigned count = 0;
    size_t rest = rounds % (how & SIM_BY_TWO ? 2 : 4), left = rounds - rest;
    size_t at = how & SIM_REMAINDER_LAST ? 0 : rest;
    if (how & SIM_COUNTED) { /* the assembler's 16 while more than 12 are left, then 8, then 4 */
        size_t many = left > 12 ? (left - 12 + 15) / 16 * 16 : 0;
        if (many) {
            copies[count++] = (struct copy){at, 1};
        }
        if (left - many > 4) {
            copies[count++] = (struct copy){at + many, 2};
            many += 8;
        }
        if (left > many) {
            copies[count++] = (struct copy){at + many, 3};
        }
    } else if (left) {
        copies[count++] = (struct copy){at, 1};
    }
    if (rest && how & SIM_REMAINDER_LAST) {
        copies[count++] = (struct copy){left, 4};
    }
    return count;
}

size_t unrolled_rounds(const uint64_t *events, size_t count, size_t *rounds) {
    size_t end = 0;
    *rounds = 0;
    for (; end < count && is_within(events[end], SIM_NUMBER_OF(events[0])); end++) {
        *rounds += unrolling(events[end]) != 0;
    }
    return end;
}

/* Marks the rounds of one loop, whose first event is `events[0]`. Returns the index of the first
 * event after it. */
static size_t number_loop(uint64_t *events, size_t count) {
    unsigned how = unrolling(events[0]);
    size_t rounds, end = unrolled_rounds(events, count, &rounds);
    struct copy copies[MOST_COPIES];
    unsigned copy_count = divide(rounds, how, copies), next = 0;
    size_t round = 0;
    for (size_t i = 0; i < end && next < copy_count; i++) {
        if (unrolling(events[i]) != 0 && round++ == copies[next].first) {
            events[i] |= SIM_MARK(0, copies[next++].number << UNROLLED_COPIES_SHIFT, 0);
        }
    }
    return end;
}

void number_unrolled(uint64_t *events, size_t count) {
    for (size_t i = 0; i < count;) {
        i += unrolling(events[i]) ? number_loop(events + i, count - i) : 1;
    }
}
