/* cooperative_groups::reduce() */
#ifndef SIM_COOPERATIVE_REDUCE_H
#define SIM_COOPERATIVE_REDUCE_H

#include "../cooperative_groups.h"
#include "functional.h"

namespace cooperative_groups {
namespace sim_cg {

/* Combines pairs of ranks that differ in one bit, the highest first, as a device does: sums of
 * floating-point numbers get the same last bits. `size`: a power of two. */
template <class T, class Op>
T combine_pairs(gathered<T> &values, unsigned first, unsigned rank, unsigned size, Op &op) {
    gathered<T> pairs = values;
    for (unsigned i = 0; i < size; i++) {
        pairs[i] = values[first + (rank ^ i)];
    }
    for (unsigned half = size / 2; half > 0; half /= 2) {
        for (unsigned i = 0; i < half; i++) {
            pairs[i] = op(pairs[i], pairs[i ^ half]);
        }
    }
    return pairs[0];
}

/* Combines each rank with the one 1, 2, 4, ... below it. */
template <class T, class Op> T combine_ranks(gathered<T> &values, unsigned mask, Op &op) {
    gathered<T> ranked = values;
    unsigned size = 0;
    for (unsigned left = mask; left; left &= left - 1) {
        ranked[size++] = values[(unsigned)__builtin_ctz(left)];
    }
    for (unsigned step = 1; step < size; step *= 2) {
        for (unsigned i = size - 1; i >= step; i--) {
            ranked[i] = op(ranked[i], ranked[i - step]);
        }
    }
    return ranked[size - 1];
}

} // namespace sim_cg

/* Every thread of the group passes a value and gets all of them combined. `op` must be associative
 * and commutative. */
template <unsigned Size, class Parent, class T, class Op>
sim_cg::value_of<T> reduce(const thread_block_tile<Size, Parent> &group, T &&value, Op &&op,
                           SIM_SITE) {
    sim_cg::gathered<sim_cg::value_of<T>> values(group.sim_mask(), value, sim_file, sim_line);
    const unsigned rank = group.thread_rank();
    return sim_cg::combine_pairs(values, sim_cg::lane() - rank, rank, Size, op);
}
template <class T, class Op>
sim_cg::value_of<T> reduce(const coalesced_group &group, T &&value, Op &&op, SIM_SITE) {
    sim_cg::gathered<sim_cg::value_of<T>> values(group.sim_mask(), value, sim_file, sim_line);
    if (group.size() == SIM_WARP_SIZE) {
        return sim_cg::combine_pairs(values, 0, sim_cg::lane(), SIM_WARP_SIZE, op);
    }
    return sim_cg::combine_ranks(values, group.sim_mask(), op);
}

} // namespace cooperative_groups

#endif
