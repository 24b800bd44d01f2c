/* The shuffles and votes of older books, without a mask. Devices before compute capability 7.0 had
 * them; there, the lanes that execute the call together take part. */
#ifndef SIM_WARP_REMOVED_H
#define SIM_WARP_REMOVED_H

#include "sim_warp.h"

#define SIM_UNMASKED(name) SIM_REMOVED("nvcc refuses it since compute capability 7.0: use " #name "_sync() with the mask of the lanes that take part")

template <class T>
SIM_UNMASKED(__shfl)
static inline T __shfl(T value, int lane, int width = 32, SIM_SITE) {
    return __shfl_sync(__activemask(sim_file, sim_line), value, lane, width, sim_file, sim_line);
}
template <class T>
SIM_UNMASKED(__shfl_up)
static inline T __shfl_up(T value, unsigned delta, int width = 32, SIM_SITE) {
    return __shfl_up_sync(__activemask(sim_file, sim_line), value, delta, width, sim_file,
                          sim_line);
}
template <class T>
SIM_UNMASKED(__shfl_down)
static inline T __shfl_down(T value, unsigned delta, int width = 32, SIM_SITE) {
    return __shfl_down_sync(__activemask(sim_file, sim_line), value, delta, width, sim_file,
                            sim_line);
}
template <class T>
SIM_UNMASKED(__shfl_xor)
static inline T __shfl_xor(T value, int bits, int width = 32, SIM_SITE) {
    return __shfl_xor_sync(__activemask(sim_file, sim_line), value, bits, width, sim_file,
                           sim_line);
}

SIM_UNMASKED(__any)
static inline int __any(int predicate, SIM_SITE) {
    return __any_sync(__activemask(sim_file, sim_line), predicate, sim_file, sim_line);
}
SIM_UNMASKED(__all)
static inline int __all(int predicate, SIM_SITE) {
    return __all_sync(__activemask(sim_file, sim_line), predicate, sim_file, sim_line);
}
SIM_UNMASKED(__ballot)
static inline unsigned __ballot(int predicate, SIM_SITE) {
    return __ballot_sync(__activemask(sim_file, sim_line), predicate, sim_file, sim_line);
}

#undef SIM_UNMASKED

#endif
