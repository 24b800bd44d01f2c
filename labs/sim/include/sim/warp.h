/* Barriers and warp functions. Each call passes its line: if a kernel never ends, the finding says
 * where its threads wait. */
#pragma once

#include "sim/abi.h"

#define SIM_FULL_WARP 0xffffffffu

static inline void __syncthreads(SIM_SITE) { sim_barrier(0, sim_file, sim_line); }
static inline int __syncthreads_count(int predicate, SIM_SITE) {
    return (int)sim_barrier(predicate, sim_file, sim_line);
}
static inline int __syncthreads_or(int predicate, SIM_SITE) {
    return (int)sim_barrier(predicate, sim_file, sim_line) != 0;
}
static inline int __syncthreads_and(int predicate, SIM_SITE) {
    unsigned long long all = sim_barrier(predicate, sim_file, sim_line);
    return (unsigned)all == all >> 32;
}

static inline void __syncwarp(unsigned mask = SIM_FULL_WARP, SIM_SITE) {
    sim_warp(SIM_WARP_BARRIER, mask, 0, 0, sim_file, sim_line);
}
static inline unsigned __activemask(SIM_SITE) {
    return (unsigned)sim_warp(SIM_WARP_ACTIVE, 0, 0, 0, sim_file, sim_line);
}

/* ---- programmatic dependent launch: a kernel that may overlap the one before it in its stream */

static inline void cudaGridDependencySynchronize(SIM_SITE) {
    sim_wait_for_primary(sim_file, sim_line);
}
static inline void cudaTriggerProgrammaticLaunchCompletion() { sim_lets_next_begin(); }

/* ---- votes */

static inline unsigned __ballot_sync(unsigned mask, int predicate, SIM_SITE) {
    return (unsigned)sim_warp(SIM_WARP_BALLOT, mask, predicate != 0, 0, sim_file, sim_line);
}
static inline int __any_sync(unsigned mask, int predicate, SIM_SITE) {
    return sim_warp(SIM_WARP_BALLOT, mask, predicate != 0, 0, sim_file, sim_line) != 0;
}
static inline int __all_sync(unsigned mask, int predicate, SIM_SITE) {
    return sim_warp(SIM_WARP_BALLOT, mask, predicate == 0, 0, sim_file, sim_line) == 0;
}

/* The bits of a value of at most 8 bytes. */
template <class T> static inline unsigned long long sim_bits(T value) {
    static_assert(sizeof(T) <= 8, "a lane passes at most 8 bytes to a warp function");
    unsigned long long bits = 0;
    __builtin_memcpy(&bits, &value, sizeof(T));
    return bits;
}

/* ---- shuffles: each segment of `width` lanes (a power of two) exchanges values by itself.
 * cuda_fp16.h adds those of half types. */

template <class T>
static inline T sim_shuffle(sim_shuffle_kind how, unsigned mask, T value, unsigned operand,
                            int width, const char *file, int line) {
    unsigned shape = (unsigned)how << 8 | ((unsigned)width & 0xffu);
    unsigned long long bits = sim_warp_shuffle(mask, sim_bits(value), shape, operand, file, line);
    __builtin_memcpy((void *)&value, &bits, sizeof(T));
    return value;
}

/* The old forms without a mask name the lanes that are there. */
#define SIM_OLD_WARP_FUNCTION                                                                      \
    [[deprecated("CUDA 13 has only the form with _sync, which takes a mask of lanes")]]

#define SIM_SHUFFLES(T)                                                                            \
    static inline T __shfl_sync(unsigned mask, T value, int lane, int width = 32, SIM_SITE) {      \
        return sim_shuffle(SIM_SHUFFLE_INDEX, mask, value, (unsigned)lane, width, sim_file,        \
                           sim_line);                                                              \
    }                                                                                              \
    static inline T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32,         \
                                   SIM_SITE) {                                                     \
        return sim_shuffle(SIM_SHUFFLE_UP, mask, value, delta, width, sim_file, sim_line);         \
    }                                                                                              \
    static inline T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32,       \
                                     SIM_SITE) {                                                   \
        return sim_shuffle(SIM_SHUFFLE_DOWN, mask, value, delta, width, sim_file, sim_line);       \
    }                                                                                              \
    static inline T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32, SIM_SITE) {  \
        return sim_shuffle(SIM_SHUFFLE_XOR, mask, value, (unsigned)bits, width, sim_file,          \
                           sim_line);                                                              \
    }                                                                                              \
    SIM_OLD_WARP_FUNCTION static inline T __shfl(T value, int lane, int width = 32, SIM_SITE) {    \
        unsigned mask = __activemask(sim_file, sim_line);                                          \
        return __shfl_sync(mask, value, lane, width, sim_file, sim_line);                          \
    }                                                                                              \
    SIM_OLD_WARP_FUNCTION static inline T __shfl_up(T value, unsigned delta, int width = 32,       \
                                                    SIM_SITE) {                                    \
        unsigned mask = __activemask(sim_file, sim_line);                                          \
        return __shfl_up_sync(mask, value, delta, width, sim_file, sim_line);                      \
    }                                                                                              \
    SIM_OLD_WARP_FUNCTION static inline T __shfl_down(T value, unsigned delta, int width = 32,     \
                                                      SIM_SITE) {                                  \
        unsigned mask = __activemask(sim_file, sim_line);                                          \
        return __shfl_down_sync(mask, value, delta, width, sim_file, sim_line);                    \
    }                                                                                              \
    SIM_OLD_WARP_FUNCTION static inline T __shfl_xor(T value, int bits, int width = 32,            \
                                                     SIM_SITE) {                                   \
        unsigned mask = __activemask(sim_file, sim_line);                                          \
        return __shfl_xor_sync(mask, value, bits, width, sim_file, sim_line);                      \
    }

SIM_SHUFFLES(int)
SIM_SHUFFLES(unsigned)
SIM_SHUFFLES(long)
SIM_SHUFFLES(unsigned long)
SIM_SHUFFLES(long long)
SIM_SHUFFLES(unsigned long long)
SIM_SHUFFLES(float)
SIM_SHUFFLES(double)

SIM_OLD_WARP_FUNCTION static inline int __any(int predicate, SIM_SITE) {
    return __any_sync(__activemask(sim_file, sim_line), predicate, sim_file, sim_line);
}
SIM_OLD_WARP_FUNCTION static inline int __all(int predicate, SIM_SITE) {
    return __all_sync(__activemask(sim_file, sim_line), predicate, sim_file, sim_line);
}
SIM_OLD_WARP_FUNCTION static inline unsigned __ballot(int predicate, SIM_SITE) {
    return __ballot_sync(__activemask(sim_file, sim_line), predicate, sim_file, sim_line);
}

/* ---- which lanes have the same value; 0.0 and -0.0 differ, for their bits are compared */

#define SIM_MATCHES(T)                                                                             \
    static inline unsigned __match_any_sync(unsigned mask, T value, SIM_SITE) {                    \
        return (unsigned)sim_warp(SIM_WARP_MATCH_ANY, mask, sim_bits(value), 0, sim_file,          \
                                  sim_line);                                                       \
    }                                                                                              \
    static inline unsigned __match_all_sync(unsigned mask, T value, int *all, SIM_SITE) {          \
        unsigned lanes =                                                                           \
            (unsigned)sim_warp(SIM_WARP_MATCH_ALL, mask, sim_bits(value), 0, sim_file, sim_line);  \
        *all = lanes != 0;                                                                         \
        return lanes ? mask : 0;                                                                   \
    }

SIM_MATCHES(int)
SIM_MATCHES(unsigned)
SIM_MATCHES(long)
SIM_MATCHES(unsigned long)
SIM_MATCHES(long long)
SIM_MATCHES(unsigned long long)
SIM_MATCHES(float)
SIM_MATCHES(double)

#undef SIM_MATCHES

/* ---- the sum, the least, ... of the values of all lanes of the mask */

#define SIM_REDUCE(name, operation, T)                                                             \
    static inline T name(unsigned mask, T value, SIM_SITE) {                                       \
        return (T)sim_warp(operation, mask, (unsigned long long)(long long)value, 0, sim_file,     \
                           sim_line);                                                              \
    }

SIM_REDUCE(__reduce_add_sync, SIM_WARP_ADD, unsigned)
SIM_REDUCE(__reduce_add_sync, SIM_WARP_ADD, int)
SIM_REDUCE(__reduce_min_sync, SIM_WARP_MIN, unsigned)
SIM_REDUCE(__reduce_min_sync, SIM_WARP_SIGNED_MIN, int)
SIM_REDUCE(__reduce_max_sync, SIM_WARP_MAX, unsigned)
SIM_REDUCE(__reduce_max_sync, SIM_WARP_SIGNED_MAX, int)
SIM_REDUCE(__reduce_and_sync, SIM_WARP_AND, unsigned)
SIM_REDUCE(__reduce_or_sync, SIM_WARP_OR, unsigned)
SIM_REDUCE(__reduce_xor_sync, SIM_WARP_XOR, unsigned)

#undef SIM_REDUCE

/* place: in the source, or 0; the translator adds it. */
static inline void __threadfence_block(unsigned place = 0) {
    __atomic_thread_fence(__ATOMIC_ACQ_REL); /* weaker than __threadfence(): see tsan_atomics.c */
    sim_fence(place);
}
static inline void __threadfence(unsigned place = 0) {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    sim_fence(place);
}
static inline void __threadfence_system(unsigned place = 0) { __threadfence(place); }

/* Lets other threads run; it takes no time. */
static inline void __nanosleep(unsigned) { sim_sleep(); }

static inline void __trap(SIM_SITE) { sim_trap(sim_file, sim_line); }
static inline long long clock64() { return (long long)sim_clock(); }
