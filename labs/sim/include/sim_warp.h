/* Barriers and warp functions. Each call passes its line: if a kernel never ends, the finding says
 * where its threads wait. */
#ifndef SIM_WARP_H
#define SIM_WARP_H

#include "sim_abi.h"

#define SIM_FULL_WARP 0xffffffffu

static inline void __syncthreads(SIM_SITE) {
    sim_barrier(0, sim_file, sim_line);
}
static inline int __syncthreads_count(int predicate, SIM_SITE) {
    return sim_barrier(predicate, sim_file, sim_line).set;
}
static inline int __syncthreads_or(int predicate, SIM_SITE) {
    return sim_barrier(predicate, sim_file, sim_line).set != 0;
}
static inline int __syncthreads_and(int predicate, SIM_SITE) {
    sim_barrier_result all = sim_barrier(predicate, sim_file, sim_line);
    return all.set == all.threads;
}

static inline void __syncwarp(unsigned mask = SIM_FULL_WARP, SIM_SITE) {
    sim_warp_barrier(mask, sim_file, sim_line);
}
static inline unsigned __activemask(SIM_SITE) {
    return sim_active_lanes(sim_file, sim_line);
}
static inline unsigned __ballot_sync(unsigned mask, int predicate, SIM_SITE) {
    return sim_warp_ballot(mask, predicate, sim_file, sim_line);
}
static inline int __any_sync(unsigned mask, int predicate, SIM_SITE) {
    return sim_warp_ballot(mask, predicate, sim_file, sim_line) != 0;
}
static inline int __all_sync(unsigned mask, int predicate, SIM_SITE) {
    return sim_warp_ballot(mask, !predicate, sim_file, sim_line) == 0;
}

/* ---- shuffles: each segment of `width` lanes (a power of two) exchanges values by itself */

template <class T>
static inline T sim_exchange(unsigned mask, T value, unsigned from, const char *file, int line) {
    unsigned long long bits = 0;
    __builtin_memcpy(&bits, &value, sizeof(T));
    bits = sim_warp_shuffle(mask, bits, from, file, line);
    __builtin_memcpy(&value, &bits, sizeof(T));
    return value;
}

#define SIM_SHUFFLES(T)                                                                            \
    static inline T __shfl_sync(unsigned mask, T value, int lane, int width = 32, SIM_SITE) {      \
        unsigned inside = (unsigned)width - 1;                                                     \
        unsigned from = (sim_lane() & ~inside) | ((unsigned)lane & inside);                        \
        return sim_exchange(mask, value, from, sim_file, sim_line);                                \
    }                                                                                              \
    static inline T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32,         \
                                   SIM_SITE) {                                                     \
        unsigned lane = sim_lane(), inside = lane & ((unsigned)width - 1);                         \
        unsigned from = inside >= delta ? lane - delta : lane;                                     \
        return sim_exchange(mask, value, from, sim_file, sim_line);                                \
    }                                                                                              \
    static inline T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32,       \
                                     SIM_SITE) {                                                   \
        unsigned lane = sim_lane(), inside = lane & ((unsigned)width - 1);                         \
        unsigned from = delta < (unsigned)width - inside ? lane + delta : lane;                    \
        return sim_exchange(mask, value, from, sim_file, sim_line);                                \
    }                                                                                              \
    static inline T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32, SIM_SITE) {  \
        unsigned lane = sim_lane(), last = lane | ((unsigned)width - 1);                           \
        unsigned from = (lane ^ (unsigned)bits) & 31u;                                             \
        return sim_exchange(mask, value, from <= last ? from : lane, sim_file, sim_line);          \
    }

SIM_SHUFFLES(int)
SIM_SHUFFLES(unsigned)
SIM_SHUFFLES(long)
SIM_SHUFFLES(unsigned long)
SIM_SHUFFLES(long long)
SIM_SHUFFLES(unsigned long long)
SIM_SHUFFLES(float)
SIM_SHUFFLES(double)

#undef SIM_SHUFFLES

static inline void __threadfence_block() {
    __atomic_thread_fence(__ATOMIC_ACQ_REL); /* weaker than __threadfence(): see tsan_atomics.c */
}
static inline void __threadfence() {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
static inline void __threadfence_system() {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static inline void __trap(SIM_SITE) {
    sim_trap(sim_file, sim_line);
}
static inline long long clock64() {
    return (long long)sim_clock();
}

#endif
