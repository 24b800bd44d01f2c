/* cooperative_groups::reduce() */
#pragma once

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

/* A tile of several warps: each warp combines its values, and the results are combined. */
template <unsigned Size, class T, class Op>
SIM_UNTRACED T combine_warps(const T &value, Op &op, const char *file, int line) {
    const unsigned first = block_rank() / SIM_WARP_SIZE * SIM_WARP_SIZE,
                   rest = block_size() - first;
    const unsigned mask = rest < SIM_WARP_SIZE ? (1u << rest) - 1 : SIM_FULL_WARP;
    gathered<T> values(mask, value, file, line);
    const T sum = mask == SIM_FULL_WARP ? combine_pairs(values, 0, lane(), SIM_WARP_SIZE, op)
                                        : combine_ranks(values, mask, op);
    alignas(T) char bytes[Size / SIM_WARP_SIZE * sizeof(T)];
    T *sums = reinterpret_cast<T *>(bytes);
    multi_warp_tile<Size>::sim_exchange(sum, {0, SIM_WARP_SIZE}, sums, file, line);
    const unsigned base = block_rank() / Size * Size, left = block_size() - base;
    const unsigned warps = ((left < Size ? left : Size) + SIM_WARP_SIZE - 1) / SIM_WARP_SIZE;
    for (unsigned i = 1; i < warps; i++) {
        sums[0] = op(sums[0], sums[i]);
    }
    return sums[0];
}

} // namespace sim_cg

/* Every thread of the group passes a value and gets all of them combined. `op` must be associative
 * and commutative. */
template <unsigned Size, class Parent, class T, class Op>
sim_cg::value_of<T> reduce(const thread_block_tile<Size, Parent> &group, T &&value, Op &&op,
                           SIM_SITE) {
    if constexpr (Size > SIM_WARP_SIZE) {
        return sim_cg::combine_warps<Size, sim_cg::value_of<T>>(value, op, sim_file, sim_line);
    } else {
        sim_cg::gathered<sim_cg::value_of<T>> values(group.sim_mask(), value, sim_file, sim_line);
        const unsigned rank = group.thread_rank();
        return sim_cg::combine_pairs(values, sim_cg::lane() - rank, rank, Size, op);
    }
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
