/* What lanes of one warp exchange, for values of any size. Not for programs. */
#pragma once

#include "../cuda_runtime.h"

namespace cooperative_groups {
namespace sim_cg {

/* The type of a value that a group passes on. */
template <class T>
using value_of = typename std::remove_cv<typename std::remove_reference<T>::type>::type;

static inline unsigned block_rank() {
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
static inline unsigned block_size() { return blockDim.x * blockDim.y * blockDim.z; }
static inline unsigned lane() { return block_rank() % SIM_WARP_SIZE; }
static inline unsigned count(unsigned mask) { return (unsigned)__builtin_popcount(mask); }

/* The rank of the running lane among those of the mask. */
static inline unsigned rank_in(unsigned mask) { return count(mask & ((1u << lane()) - 1)); }

/* The lane that has this rank among those of the mask. */
static inline unsigned lane_of(unsigned mask, unsigned rank) {
    while (rank-- > 0) {
        mask &= mask - 1;
    }
    return mask ? (unsigned)__builtin_ctz(mask) : SIM_WARP_SIZE;
}

/* A mask of lanes as a mask of ranks. */
static inline unsigned ranks(unsigned mask, unsigned lanes) {
    unsigned packed = 0;
    for (unsigned rank = 0; mask; rank++, mask &= mask - 1) {
        packed |= (lanes >> __builtin_ctz(mask) & 1u) << rank;
    }
    return packed;
}

/* Every lane of the mask passes a value and gets that of the lane `from`. */
template <class T>
SIM_UNTRACED T read(unsigned mask, const T &value, unsigned from, const char *file, int line) {
    static_assert(std::is_trivially_copyable<T>::value && sizeof(T) <= SIM_COLLECT_BYTES,
                  "lanes exchange values of at most 32 bytes that may be copied byte by byte");
    T result = value;
    for (size_t done = 0; done < sizeof(T); done += 8) {
        const size_t part = sizeof(T) - done < 8 ? sizeof(T) - done : 8;
        unsigned long long bits = 0;
        __builtin_memcpy(&bits, (const char *)&value + done, part);
        bits = sim_warp(SIM_WARP_SHUFFLE, mask, bits, from, file, line);
        __builtin_memcpy((char *)&result + done, &bits, part);
    }
    return result;
}

/* The values that all lanes of a mask pass. Those of other lanes are undefined. */
template <class T> struct gathered {
    alignas(T) char bytes[SIM_WARP_SIZE * sizeof(T)];

    SIM_UNTRACED gathered(unsigned mask, const T &value, const char *file, int line) {
        static_assert(std::is_trivially_copyable<T>::value && sizeof(T) <= SIM_COLLECT_BYTES,
                      "lanes exchange values of at most 32 bytes that may be copied byte by byte");
        sim_warp_collect(mask, &value, sizeof(T), bytes, sizeof(T), file, line);
    }
    T &operator[](unsigned lane) { return *reinterpret_cast<T *>(bytes + lane * sizeof(T)); }
};

} // namespace sim_cg
} // namespace cooperative_groups
