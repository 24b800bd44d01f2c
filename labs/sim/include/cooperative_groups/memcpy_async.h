/* cooperative_groups::memcpy_async(): copies at once, which is one of the times at which a device
 * may do it. As on a device, the group must wait() before it reads the copy. */
#pragma once

#include "../cooperative_groups.h"

namespace cooperative_groups {
namespace sim_cg {

template <unsigned Bytes> struct alignas(Bytes) piece {
    char bytes[Bytes];
};

/* Copies pieces of this size, the threads of the group in turn. */
template <unsigned Bytes, class Group>
void copy_pieces(const Group &group, void *to, const void *from, size_t bytes) {
    typedef piece<Bytes> T;
    for (size_t i = group.thread_rank(); i < bytes / Bytes; i += group.num_threads()) {
        static_cast<T *>(to)[i] = static_cast<const T *>(from)[i];
    }
}

template <class Group> void copy(const Group &group, void *to, const void *from, size_t bytes) {
    const size_t all = (size_t)to | (size_t)from | bytes;
    if (all % 16 == 0) {
        copy_pieces<16>(group, to, from, bytes);
    } else if (all % 8 == 0) {
        copy_pieces<8>(group, to, from, bytes);
    } else if (all % 4 == 0) {
        copy_pieces<4>(group, to, from, bytes);
    } else {
        copy_pieces<1>(group, to, from, bytes);
    }
}

} // namespace sim_cg

/* The group copies `bytes` bytes. */
template <class Group, class T>
void memcpy_async(const Group &group, T *to, const T *from, size_t bytes) {
    sim_cg::copy(group, to, from, bytes);
}

/* The same with arrays of this many elements: as many as fit into the smaller one. */
template <class Group, class T>
void memcpy_async(const Group &group, T *to, size_t to_count, const T *from, size_t from_count) {
    sim_cg::copy(group, to, from, (to_count < from_count ? to_count : from_count) * sizeof(T));
}

/* The group waits for its copies. */
template <class Group> void wait(const Group &group, SIM_SITE) { group.sync(sim_file, sim_line); }
template <unsigned Stages, class Group> void wait_prior(const Group &group, SIM_SITE) {
    group.sync(sim_file, sim_line);
}

} // namespace cooperative_groups
