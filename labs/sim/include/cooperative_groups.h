/* Cooperative groups: threads that synchronize and exchange values. A launch has no clusters, so
 * that each block is its own. */
#pragma once

#include "cooperative_groups/lanes.h"
#include "cooperative_groups/multi_warp_tile.h"

namespace cooperative_groups {

class thread_block;
class coalesced_group;
template <unsigned Size, class Parent> class thread_block_tile;

/* Any group whose type the program does not name. */
class thread_group {
  public:
    void sync(SIM_SITE) const {
        if (kind == of_grid) {
            sim_grid_barrier(sim_file, sim_line);
        } else if (kind == of_block) {
            sim_barrier(0, sim_file, sim_line);
        } else {
            sim_warp(SIM_WARP_BARRIER, mask, 0, 0, sim_file, sim_line);
        }
    }
    unsigned long long num_threads() const {
        return kind == of_grid    ? 1ull * gridDim.x * gridDim.y * gridDim.z * sim_cg::block_size()
               : kind == of_block ? sim_cg::block_size()
                                  : sim_cg::count(mask);
    }
    unsigned long long size() const { return num_threads(); }
    unsigned long long thread_rank() const {
        return kind == of_grid
                   ? (1ull * (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) *
                             sim_cg::block_size() +
                         sim_cg::block_rank()
               : kind == of_block ? sim_cg::block_rank()
                                  : sim_cg::rank_in(mask);
    }

  protected:
    enum kind_of_group { of_grid, of_block, of_lanes };
    thread_group(kind_of_group kind_, unsigned mask_, unsigned meta_rank_ = 0,
                 unsigned meta_size_ = 1)
        : kind(kind_), mask(mask_), meta_rank(meta_rank_), meta_size(meta_size_) {}
    kind_of_group kind;
    unsigned mask, meta_rank, meta_size;
    friend thread_group tiled_partition(const thread_group &parent, unsigned size);
};

/* ---- the threads of a grid */

class grid_group : public thread_group {
  public:
    struct arrival_token {};

    bool is_valid() const { return sim_is_cooperative(); }
    void sync(SIM_SITE) const { sim_grid_barrier(sim_file, sim_line); }
    arrival_token barrier_arrive() const { return {}; }
    void barrier_wait(arrival_token &&, SIM_SITE) const { sim_grid_barrier(sim_file, sim_line); }
    static dim3 dim_blocks() { return {gridDim.x, gridDim.y, gridDim.z}; }
    static dim3 group_dim() { return dim_blocks(); }
    static dim3 dim_threads() {
        return {gridDim.x * blockDim.x, gridDim.y * blockDim.y, gridDim.z * blockDim.z};
    }
    static dim3 block_index() { return {blockIdx.x, blockIdx.y, blockIdx.z}; }
    static dim3 thread_index() {
        return {blockIdx.x * blockDim.x + threadIdx.x, blockIdx.y * blockDim.y + threadIdx.y,
                blockIdx.z * blockDim.z + threadIdx.z};
    }
    static unsigned long long num_blocks() { return 1ull * gridDim.x * gridDim.y * gridDim.z; }
    static unsigned long long block_rank() {
        return 1ull * (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    }
    static unsigned long long num_threads() { return num_blocks() * sim_cg::block_size(); }
    static unsigned long long size() { return num_threads(); }
    static unsigned long long thread_rank() {
        return block_rank() * sim_cg::block_size() + sim_cg::block_rank();
    }
    static dim3 dim_clusters() { return dim_blocks(); }
    static dim3 cluster_index() { return block_index(); }
    static unsigned long long num_clusters() { return num_blocks(); }
    static unsigned long long cluster_rank() { return block_rank(); }

  private:
    grid_group() : thread_group(of_grid, 0) {}
    friend grid_group this_grid();
};

inline grid_group this_grid() { return {}; }

/* ---- the threads of a block */

class thread_block : public thread_group {
  public:
    struct arrival_token {};

    static void sync(SIM_SITE) { sim_barrier(0, sim_file, sim_line); }
    arrival_token barrier_arrive() const { return {}; }
    void barrier_wait(arrival_token &&, SIM_SITE) const { sim_barrier(0, sim_file, sim_line); }
    static unsigned num_threads() { return sim_cg::block_size(); }
    static unsigned size() { return num_threads(); }
    static unsigned thread_rank() { return sim_cg::block_rank(); }
    static dim3 group_index() { return {blockIdx.x, blockIdx.y, blockIdx.z}; }
    static dim3 thread_index() { return {threadIdx.x, threadIdx.y, threadIdx.z}; }
    static dim3 dim_threads() { return {blockDim.x, blockDim.y, blockDim.z}; }
    static dim3 group_dim() { return dim_threads(); }

  private:
    thread_block() : thread_group(of_block, 0) {}
    friend thread_block this_thread_block();
};

inline thread_block this_thread_block() { return {}; }

/* What tiles of several warps need on devices before 8.0, in shared memory. */
template <unsigned MaxThreads = 1024> struct block_tile_memory {};
template <unsigned MaxThreads> thread_block this_thread_block(block_tile_memory<MaxThreads> &) {
    return this_thread_block();
}

/* The blocks of a cluster: here always one. */
class cluster_group : public thread_group {
  public:
    struct arrival_token {};

    static void sync(SIM_SITE) { sim_barrier(0, sim_file, sim_line); }
    static arrival_token barrier_arrive() { return {}; }
    static void barrier_wait(SIM_SITE) { sim_barrier(0, sim_file, sim_line); }
    static void barrier_wait(arrival_token &&, SIM_SITE) { sim_barrier(0, sim_file, sim_line); }
    static unsigned query_shared_rank(const void *) { return 0; }
    template <class T> static T *map_shared_rank(T *address, int) { return address; }
    static dim3 block_index() { return {0, 0, 0}; }
    static unsigned block_rank() { return 0; }
    static dim3 thread_index() { return {threadIdx.x, threadIdx.y, threadIdx.z}; }
    static unsigned thread_rank() { return sim_cg::block_rank(); }
    static dim3 dim_blocks() { return {1, 1, 1}; }
    static unsigned num_blocks() { return 1; }
    static dim3 dim_threads() { return {blockDim.x, blockDim.y, blockDim.z}; }
    static unsigned num_threads() { return sim_cg::block_size(); }
    static unsigned size() { return num_threads(); }

  private:
    cluster_group() : thread_group(of_block, 0) {}
    friend cluster_group this_cluster();
};

inline cluster_group this_cluster() { return {}; }

/* ---- lanes of a warp */

/* The lanes that are together in a branch, or a part of them. A lane's rank counts the lanes of the
 * group below it. */
class coalesced_group : public thread_group {
  public:
    unsigned num_threads() const { return sim_cg::count(mask); }
    unsigned size() const { return num_threads(); }
    unsigned thread_rank() const { return sim_cg::rank_in(mask); }
    unsigned meta_group_rank() const { return meta_rank; }
    unsigned meta_group_size() const { return meta_size; }
    void sync(SIM_SITE) const { sim_warp(SIM_WARP_BARRIER, mask, 0, 0, sim_file, sim_line); }
    template <class T> sim_cg::value_of<T> shfl(T &&value, int rank, SIM_SITE) const {
        return take(value, sim_cg::lane_of(mask, (unsigned)rank), sim_file, sim_line);
    }
    template <class T> sim_cg::value_of<T> shfl_up(T &&value, unsigned delta, SIM_SITE) const {
        const unsigned rank = thread_rank();
        const unsigned from = rank >= delta ? sim_cg::lane_of(mask, rank - delta) : sim_cg::lane();
        return take(value, from, sim_file, sim_line);
    }
    template <class T> sim_cg::value_of<T> shfl_down(T &&value, unsigned delta, SIM_SITE) const {
        const unsigned rank = thread_rank();
        const unsigned from =
            delta < size() - rank ? sim_cg::lane_of(mask, rank + delta) : sim_cg::lane();
        return take(value, from, sim_file, sim_line);
    }
    int any(int predicate, SIM_SITE) const {
        return __any_sync(mask, predicate, sim_file, sim_line);
    }
    int all(int predicate, SIM_SITE) const {
        return __all_sync(mask, predicate, sim_file, sim_line);
    }
    unsigned ballot(int predicate, SIM_SITE) const {
        return sim_cg::ranks(mask, __ballot_sync(mask, predicate, sim_file, sim_line));
    }
    template <class T> unsigned match_any(T value, SIM_SITE) const {
        return sim_cg::ranks(mask, __match_any_sync(mask, value, sim_file, sim_line));
    }
    template <class T> unsigned match_all(T value, int &all_equal, SIM_SITE) const {
        return sim_cg::ranks(mask, __match_all_sync(mask, value, &all_equal, sim_file, sim_line));
    }
    unsigned sim_mask() const { return mask; }

  private:
    coalesced_group(unsigned mask_, unsigned meta_rank_ = 0, unsigned meta_size_ = 1)
        : thread_group(of_lanes, mask_, meta_rank_, meta_size_) {}
    template <class T> T take(const T &value, unsigned from, const char *file, int line) const {
        return sim_cg::read(mask, value, from % SIM_WARP_SIZE, file, line);
    }
    friend coalesced_group coalesced_threads(const char *, int);
    friend coalesced_group tiled_partition(const coalesced_group &parent, unsigned size);
    friend coalesced_group sim_part(unsigned mask, unsigned meta_rank, unsigned meta_size);
};

/* Lanes of the mask as a group. */
inline coalesced_group sim_part(unsigned mask, unsigned meta_rank, unsigned meta_size) {
    return {mask, meta_rank, meta_size};
}

inline coalesced_group coalesced_threads(SIM_SITE) { return {__activemask(sim_file, sim_line)}; }

namespace sim_cg {

/* `Size` neighbouring threads of a warp. */
template <unsigned Size> class tile {
    static_assert(Size > 0 && (Size & (Size - 1)) == 0, "the size of a tile is a power of two");
    static_assert(Size <= SIM_WARP_SIZE, "a tile of several warps is a multi_warp_tile");

  public:
    operator thread_group() const { return sim_part(sim_mask(), 0, 1); }
    static constexpr unsigned num_threads() { return Size; }
    static constexpr unsigned size() { return Size; }
    static unsigned thread_rank() { return sim_cg::block_rank() % Size; }
    static unsigned sim_mask() {
        return (Size == SIM_WARP_SIZE ? SIM_FULL_WARP : (1u << Size % SIM_WARP_SIZE) - 1) << base();
    }
    static void sync(SIM_SITE) { sim_warp(SIM_WARP_BARRIER, sim_mask(), 0, 0, sim_file, sim_line); }
    template <class T> value_of<T> shfl(T &&value, int rank, SIM_SITE) const {
        return take(value, base() + ((unsigned)rank & (Size - 1)), sim_file, sim_line);
    }
    template <class T> value_of<T> shfl_up(T &&value, unsigned delta, SIM_SITE) const {
        const unsigned at = thread_rank();
        return take(value, base() + (at >= delta ? at - delta : at), sim_file, sim_line);
    }
    template <class T> value_of<T> shfl_down(T &&value, unsigned delta, SIM_SITE) const {
        const unsigned at = thread_rank();
        return take(value, base() + (delta < Size - at ? at + delta : at), sim_file, sim_line);
    }
    template <class T> value_of<T> shfl_xor(T &&value, unsigned bits, SIM_SITE) const {
        const unsigned at = thread_rank(), from = at ^ bits;
        return take(value, base() + (from < Size ? from : at), sim_file, sim_line);
    }
    int any(int predicate, SIM_SITE) const {
        return __any_sync(sim_mask(), predicate, sim_file, sim_line);
    }
    int all(int predicate, SIM_SITE) const {
        return __all_sync(sim_mask(), predicate, sim_file, sim_line);
    }
    unsigned ballot(int predicate, SIM_SITE) const {
        return __ballot_sync(sim_mask(), predicate, sim_file, sim_line) >> base();
    }
    template <class T> unsigned match_any(T value, SIM_SITE) const {
        return __match_any_sync(sim_mask(), value, sim_file, sim_line) >> base();
    }
    template <class T> unsigned match_all(T value, int &all_equal, SIM_SITE) const {
        return __match_all_sync(sim_mask(), value, &all_equal, sim_file, sim_line) >> base();
    }

  private:
    static unsigned base() { return sim_cg::lane() / Size * Size; }
    template <class T> T take(const T &value, unsigned from, const char *file, int line) const {
        return read(sim_mask(), value, from, file, line);
    }
};

template <unsigned Size>
using tile_of =
    typename std::conditional<Size <= SIM_WARP_SIZE, tile<Size <= SIM_WARP_SIZE ? Size : 1>,
                              multi_warp_tile<Size>>::type;

} // namespace sim_cg

/* A tile that does not know what it is a part of. */
template <unsigned Size, class Parent = void> class thread_block_tile;
template <unsigned Size> class thread_block_tile<Size, void> : public sim_cg::tile_of<Size> {
  public:
    template <class Parent>
    thread_block_tile(const thread_block_tile<Size, Parent> &other)
        : rank(other.meta_group_rank()), count(other.meta_group_size()) {}
    unsigned meta_group_rank() const { return rank; }
    unsigned meta_group_size() const { return count; }

  private:
    thread_block_tile() : rank(0), count(1) {}
    unsigned rank, count;
    friend thread_block_tile<1, void> this_thread();
};

template <unsigned Size>
class thread_block_tile<Size, thread_block> : public sim_cg::tile_of<Size> {
  public:
    thread_block_tile(const thread_block &) {}
    static unsigned meta_group_rank() { return sim_cg::block_rank() / Size; }
    static unsigned meta_group_size() { return (sim_cg::block_size() + Size - 1) / Size; }
};

template <unsigned Size, unsigned Outer, class Parent>
class thread_block_tile<Size, thread_block_tile<Outer, Parent>> : public sim_cg::tile_of<Size> {
    static_assert(Size <= Outer, "a tile is not larger than the tile that it is a part of");

  public:
    thread_block_tile(const thread_block_tile<Outer, Parent> &) {}
    static unsigned meta_group_rank() { return sim_cg::block_rank() % Outer / Size; }
    static unsigned meta_group_size() { return Outer / Size; }
};

inline thread_block_tile<1, void> this_thread() { return {}; }

/* ---- parts of groups */

template <unsigned Size, class Parent>
thread_block_tile<Size, Parent> tiled_partition(const Parent &parent) {
    return {parent};
}

/* Consecutive ranks; `size`: a power of two, at most 32. */
inline coalesced_group tiled_partition(const coalesced_group &parent, unsigned size) {
    if (size == 0 || size > SIM_WARP_SIZE || (size & (size - 1)) != 0) {
        __trap();
    }
    if (parent.size() <= size) {
        return parent;
    }
    const unsigned first = parent.thread_rank() / size * size;
    unsigned mask = parent.mask, part = 0;
    for (unsigned rank = 0; mask; rank++, mask &= mask - 1) {
        part |= rank >= first && rank < first + size ? mask & -mask : 0;
    }
    return {part, first / size, (parent.size() + size - 1) / size};
}
inline thread_group tiled_partition(const thread_group &parent, unsigned size) {
    if (size == 0 || size > SIM_WARP_SIZE || (size & (size - 1)) != 0) {
        __trap();
    }
    if (parent.kind == thread_group::of_lanes) {
        return tiled_partition(sim_part(parent.mask, parent.meta_rank, parent.meta_size), size);
    }
    const unsigned first = sim_cg::block_rank() / size * size, rest = sim_cg::block_size() - first;
    const unsigned there = rest < size ? rest : size;
    const unsigned mask = there == SIM_WARP_SIZE ? SIM_FULL_WARP : (1u << there) - 1;
    return sim_part(mask << first % SIM_WARP_SIZE, first / size,
                    (sim_cg::block_size() + size - 1) / size);
}
inline thread_group tiled_partition(const thread_block &parent, unsigned size) {
    return tiled_partition(static_cast<const thread_group &>(parent), size);
}

template <class Group>
coalesced_group binary_partition(const Group &group, bool predicate, SIM_SITE) {
    const unsigned mask = group.sim_mask();
    const unsigned set = __ballot_sync(mask, predicate, sim_file, sim_line) & mask;
    if (set == 0 || set == mask) {
        return sim_part(mask, 0, 1);
    }
    return sim_part(predicate ? set : mask & ~set, predicate, 2);
}

/* The lanes that pass the same label. */
template <class Group, class Label>
coalesced_group labeled_partition(const Group &group, Label label, SIM_SITE) {
    static_assert(std::is_integral<Label>::value || std::is_pointer<Label>::value,
                  "a label is an integer or a pointer");
    const unsigned mask = group.sim_mask();
    if constexpr (std::is_same<Label, bool>::value) {
        return binary_partition(group, label, sim_file, sim_line);
    } else {
        const unsigned same = __match_any_sync(mask, (unsigned long long)label, sim_file, sim_line);
        const unsigned first = (unsigned)__builtin_ctz(same);
        const unsigned firsts = __ballot_sync(mask, sim_cg::lane() == first, sim_file, sim_line);
        return sim_part(same, sim_cg::count(firsts & ((1u << first) - 1)), sim_cg::count(firsts));
    }
}

/* ---- functions for any group */

template <class Group> void sync(const Group &group, SIM_SITE) { group.sync(sim_file, sim_line); }
template <class Group> auto thread_rank(const Group &group) -> decltype(group.thread_rank()) {
    return group.thread_rank();
}
template <class Group> auto group_size(const Group &group) -> decltype(group.num_threads()) {
    return group.num_threads();
}
template <class Group> bool is_valid(const Group &group) { return group.is_valid(); }

/* One thread of the group calls the function. */
template <class Group, class F, class... A>
void invoke_one(const Group &group, F &&function, A &&...arguments) {
    if (group.thread_rank() == 0) {
        std::forward<F>(function)(std::forward<A>(arguments)...);
    }
}

/* The same, and all threads get its result. */
template <class Group, class F, class... A>
auto invoke_one_broadcast(const Group &group, F &&function, A &&...arguments) {
    using result = sim_cg::value_of<decltype(function(arguments...))>;
    result value{};
    if (group.thread_rank() == 0) {
        value = std::forward<F>(function)(std::forward<A>(arguments)...);
    }
    return group.shfl(value, 0);
}

} // namespace cooperative_groups
