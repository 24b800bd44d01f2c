/* The forms of the runtime API that take a kernel. */
#pragma once

#include "sim/abi.h"

template <class R, class... P>
static inline cudaError_t cudaFuncSetAttribute(R (*kernel)(P...), cudaFuncAttribute attribute,
                                               int value, SIM_SITE) {
    return cudaFuncSetAttribute((const void *)kernel, attribute, value, sim_file, sim_line);
}
template <class R, class... P>
static inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, R (*kernel)(P...),
                                                SIM_SITE) {
    return cudaFuncGetAttributes(attributes, (const void *)kernel, sim_file, sim_line);
}
template <class R, class... P>
static inline cudaError_t cudaFuncSetCacheConfig(R (*kernel)(P...), cudaFuncCache config,
                                                 SIM_SITE) {
    return cudaFuncSetCacheConfig((const void *)kernel, config, sim_file, sim_line);
}
template <class R, class... P>
SIM_REMOVED(SIM_BANKS)
static inline cudaError_t
    cudaFuncSetSharedMemConfig(R (*kernel)(P...), cudaSharedMemConfig config, SIM_SITE) {
    sim_site(sim_file, sim_line);
    return sim_c_cudaFuncSetSharedMemConfig((const void *)kernel, config);
}

/* ---- how many blocks fit on a multiprocessor */

template <class R, class... P>
static inline cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, R (*kernel)(P...), int threads,
                                              size_t shared, SIM_SITE) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void *)kernel, threads,
                                                         shared, sim_file, sim_line);
}
/* ---- the block size with the most threads in flight, and a grid that fills the device with it */

template <class K>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int *grid, int *block, K,
                                                             size_t shared = 0, int limit = 0,
                                                             SIM_SITE) {
    sim_site(sim_file, sim_line);
    return sim_best_block(
        grid, block, [](const void *bytes, int) { return *static_cast<const size_t *>(bytes); },
        &shared, limit);
}
template <class K, class F>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *grid, int *block, K,
                                                                         F shared, int limit = 0,
                                                                         SIM_SITE) {
    sim_site(sim_file, sim_line);
    return sim_best_block(
        grid, block,
        [](const void *f, int threads) { return (size_t)(*static_cast<const F *>(f))(threads); },
        &shared, limit);
}
