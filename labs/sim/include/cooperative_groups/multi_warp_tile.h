/* A tile of several warps: 64 to 1024 neighbouring threads of a block. */
#pragma once

#include "lanes.h"

namespace cooperative_groups {

namespace sim_cg {

template <unsigned Size> class multi_warp_tile {
    static_assert((Size & (Size - 1)) == 0 && Size <= 1024,
                  "the size of a tile is a power of two, at most 1024");

  public:
    static constexpr unsigned num_threads() { return Size; }
    static constexpr unsigned size() { return Size; }
    static unsigned thread_rank() { return sim_cg::block_rank() % Size; }
    static void sync(SIM_SITE) { sim_tile_barrier(Size, sim_file, sim_line); }
    template <class T> SIM_UNTRACED value_of<T> shfl(T &&value, unsigned rank, SIM_SITE) const {
        value_of<T> result;
        sim_exchange(value, {rank % Size, Size}, &result, sim_file, sim_line);
        return result;
    }
    int any(int predicate, SIM_SITE) const { return count_true(predicate, sim_file, sim_line) > 0; }
    int all(int predicate, SIM_SITE) const {
        return count_true(!predicate, sim_file, sim_line) == 0;
    }

    /* Gets the values that these ranks pass. Not for programs. */
    template <class T>
    SIM_UNTRACED static void sim_exchange(const T &value, struct sim_ranks ranks, T *all,
                                          const char *file, int line) {
        static_assert(
            std::is_trivially_copyable<T>::value && sizeof(T) <= SIM_COLLECT_BYTES,
            "threads exchange values of at most 32 bytes that may be copied byte by byte");
        sim_tile_exchange(Size, &value, sizeof(T), ranks, all, file, line);
    }

  private:
    SIM_UNTRACED static int count_true(int predicate, const char *file, int line) {
        char all[Size] = {};
        sim_exchange((char)(predicate != 0), {0, 1}, all, file, line);
        int sum = 0;
        for (char one : all) {
            sum += one;
        }
        return sum;
    }
};

} // namespace sim_cg
} // namespace cooperative_groups
