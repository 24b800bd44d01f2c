/* cooperative_groups::memcpy_async(): each thread makes its part of the copy when it waits for it,
 * which is the last time at which a device may do it. So whoever reads the copy without wait()
 * reads what was there before. */
#pragma once

#include "../cooperative_groups.h"

namespace cooperative_groups {
namespace sim_cg {

template <unsigned Bytes> struct alignas(Bytes) piece {
    char bytes[Bytes];
};

/* Copies the thread's pieces of this size. */
template <unsigned Bytes> void copy_pieces(const sim_async_copy &it) {
    typedef piece<Bytes> T;
    for (size_t i = it.rank; i < it.bytes / Bytes; i += it.threads) {
        static_cast<T *>(it.to)[i] = static_cast<const T *>(it.from)[i];
    }
}

inline void copy(const sim_async_copy &it) {
    const size_t all = (size_t)it.to | (size_t)it.from | it.bytes;
    if (all % 16 == 0) {
        copy_pieces<16>(it);
    } else if (all % 8 == 0) {
        copy_pieces<8>(it);
    } else if (all % 4 == 0) {
        copy_pieces<4>(it);
    } else {
        copy_pieces<1>(it);
    }
}

template <class Group> void begin(const Group &group, void *to, const void *from, size_t bytes) {
    const sim_async_copy it = {to, from, bytes, group.thread_rank(), group.num_threads()};
    sim_copy_begins(&it);
}

/* Makes the thread's copies but the last `keep`. */
inline void finish(unsigned keep) {
    sim_async_copy it;
    while (sim_copy_due(keep, &it)) {
        copy(it);
    }
}

} // namespace sim_cg

/* The group copies `bytes` bytes. */
template <class Group, class T>
void memcpy_async(const Group &group, T *to, const T *from, size_t bytes) {
    sim_cg::begin(group, to, from, bytes);
}

/* The same with arrays of this many elements: as many as fit into the smaller one. */
template <class Group, class T>
void memcpy_async(const Group &group, T *to, size_t to_count, const T *from, size_t from_count) {
    sim_cg::begin(group, to, from, (to_count < from_count ? to_count : from_count) * sizeof(T));
}

/* The group waits for its copies; of those that it has begun, all but the last `Stages`. */
template <class Group> void wait(const Group &group, SIM_SITE) {
    sim_cg::finish(0);
    group.sync(sim_file, sim_line);
}
template <unsigned Stages, class Group> void wait_prior(const Group &group, SIM_SITE) {
    sim_cg::finish(Stages);
    group.sync(sim_file, sim_line);
}

} // namespace cooperative_groups
