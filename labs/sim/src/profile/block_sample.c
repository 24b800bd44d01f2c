#include "profile/block_sample.h"

/* One axis of the grid: `edge` blocks at either end, and `middle` of them in the middle of the
 * rest. When all are counted, `middle` is 0. */
struct axis {
    unsigned extent, edge, middle, first; /* `first`: of those in the middle */
};

static struct axis axes[3];
static uint64_t unit; /* the weight of a block that stands for itself alone, over what axes say */

static uint64_t power_of(uint64_t base, int exponent) {
    return exponent == 0 ? 1 : base * power_of(base, exponent - 1);
}

/* The largest number whose `power`-th power is at most `value`; at least 1. */
static uint64_t root(uint64_t value, int power) {
    uint64_t result = power == 1 && value > 0 ? value : 1;
    while (power > 1 && power_of(result + 1, power) <= value) {
        result++;
    }
    return result;
}

static struct axis choose(unsigned extent, uint64_t target) {
    if (extent <= target || extent <= 3) {
        return (struct axis){extent, extent, 0, 0};
    }
    unsigned count = target < 3 ? 3 : (unsigned)target;
    unsigned edge = count * 3 / 8;
    unsigned middle = count - 2 * edge;
    return (struct axis){extent, edge, middle, (extent - middle) / 2};
}

void sample_begin(const dim3 *grid, uint64_t target) {
    const unsigned extent[3] = {grid->x, grid->y, grid->z};
    bool done[3] = {false, false, false};
    unit = 1;
    if (target == 1) {
        for (int i = 0; i < 3; i++) {
            axes[i] = (struct axis){extent[i], 0, 1, extent[i] / 2};
        }
        return;
    }
    for (int left = 3; left > 0;
         left--) { /* the shortest first: the others share what it does not use */
        int shortest = -1;
        for (int i = 0; i < 3; i++) {
            if (!done[i] && (shortest < 0 || extent[i] < extent[shortest])) {
                shortest = i;
            }
        }
        done[shortest] = true;
        axes[shortest] = target == 0 ? (struct axis){extent[shortest], extent[shortest], 0, 0}
                                     : choose(extent[shortest], root(target, left));
        const struct axis *a = &axes[shortest];
        uint64_t taken = a->middle ? 2 * a->edge + a->middle : a->extent;
        target = target && target < taken ? 1 : target / taken;
    }
}

void sample_fewer(void) {
    struct axis *only = NULL;
    for (int i = 0; i < 3; i++) {
        if (axes[i].extent > 1 && only != NULL) {
            return;
        }
        only = axes[i].extent > 1 ? &axes[i] : only;
    }
    if (only != NULL && only->middle > 0 && only->edge > 0) {
        unit = only->middle; /* as the first block was counted */
        *only = choose(only->extent, 3);
    }
}

static uint64_t weight_along(const struct axis *a, unsigned index) {
    if (a->middle == 0) {
        return 1;
    }
    if (index < a->edge || index >= a->extent - a->edge) {
        return a->middle;
    }
    return index >= a->first && index < a->first + a->middle ? a->extent - 2 * a->edge : 0;
}

uint64_t sample_weight(const uint3 *block) {
    return unit * weight_along(&axes[0], block->x) * weight_along(&axes[1], block->y) *
           weight_along(&axes[2], block->z);
}

uint64_t sample_divisor(void) {
    uint64_t divisor = unit;
    for (int i = 0; i < 3; i++) {
        divisor *= axes[i].middle ? axes[i].middle : 1;
    }
    return divisor;
}

uint64_t sample_size(void) {
    uint64_t size = 1;
    for (int i = 0; i < 3; i++) {
        size *= axes[i].middle ? 2 * axes[i].edge + axes[i].middle : axes[i].extent;
    }
    return size;
}
