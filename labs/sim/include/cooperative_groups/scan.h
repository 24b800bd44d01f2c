/* cooperative_groups::inclusive_scan() and exclusive_scan() */
#pragma once

#include "../cooperative_groups.h"
#include "functional.h"

namespace cooperative_groups {

/* Each thread gets the values of the ranks up to its own, combined. */
template <class Group, class T, class Op>
sim_cg::value_of<T> inclusive_scan(const Group &group, T &&value, Op &&op, SIM_SITE) {
    sim_cg::value_of<T> sum = value;
    const unsigned rank = (unsigned)group.thread_rank(), size = (unsigned)group.num_threads();
    for (unsigned step = 1; step < size; step *= 2) {
        const sim_cg::value_of<T> other = group.shfl_up(sum, step, sim_file, sim_line);
        if (step <= rank) {
            sum = op(sum, other);
        }
    }
    return sum;
}
template <class Group, class T>
sim_cg::value_of<T> inclusive_scan(const Group &group, T &&value, SIM_SITE) {
    return inclusive_scan(group, value, plus<sim_cg::value_of<T>>(), sim_file, sim_line);
}

/* Each thread gets the values of the ranks below its own, combined; rank 0 gets T{}. */
template <class Group, class T, class Op>
sim_cg::value_of<T> exclusive_scan(const Group &group, T &&value, Op &&op, SIM_SITE) {
    const sim_cg::value_of<T> sum = inclusive_scan(group, value, op, sim_file, sim_line);
    const sim_cg::value_of<T> below = group.shfl_up(sum, 1, sim_file, sim_line);
    return group.thread_rank() == 0 ? sim_cg::value_of<T>{} : below;
}
template <class Group, class T>
sim_cg::value_of<T> exclusive_scan(const Group &group, T &&value, SIM_SITE) {
    return exclusive_scan(group, value, plus<sim_cg::value_of<T>>(), sim_file, sim_line);
}

} // namespace cooperative_groups
