/* What one memory instruction of one warp costs on the device, given the addresses of its lanes.
 *
 * The model is exact for every pattern of labs/tests/nsight/patterns.csv, measured with Nsight
 * Compute on an H200 (compute capability 9.0). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define WARP_LANES 32

/* One warp instruction. Lane i takes part if bit i of `active` is set; it accesses the `width`
 * bytes (1, 2, 4, 8 or 16) at address[i]. `active` is never 0. */
struct warp_access {
    uint32_t active;
    unsigned width;
    uint64_t address[WARP_LANES];
};

/* Global memory: the number of distinct 32-byte sectors that the active lanes access. ncu:
 * l1tex__t_sectors_pipe_lsu_mem_global_op_{ld,st}. */
unsigned cost_sectors(const struct warp_access *a);

/* The passes through the L1 cache that an access of so many sectors takes: four sectors each, or
 * one line of 128 bytes; a range that begins within a line still takes as many as an aligned one. A
 * model: it fits ncu's l1tex__data_pipe_lsu_wavefronts of coalesced and strided loads. */
unsigned cost_l1_wavefronts(const struct warp_access *a, unsigned sectors);

/* Atomic functions: the most lanes at one address, which the device serves one after the other. */
unsigned cost_same_address(const struct warp_access *a);

/* Sectors without a gap: the numbers first, first + 1, ... (address / 32). */
struct sector_range {
    uint64_t first;
    unsigned count;
};

/* Do the active lanes access one range of bytes, each its part of it or all the same? Then sets its
 * sectors. For all others, cost_scattered_sectors() is the number. */
bool sector_range(const struct warp_access *a, struct sector_range *range);
unsigned cost_scattered_sectors(const struct warp_access *a);

/* Shared memory: the sum over phases of the largest number of distinct 4-byte words in one of the
 * 32 banks. Accesses of up to 4 bytes take one phase, of 8 two (half warps), of 16 four (quarter
 * warps); a phase with no active lane costs nothing. A load of 8 or 16 bytes takes half as many
 * phases when every active lane reads the address of its neighbour i^1, or each that of i^2.
 * ncu: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_{ld,st}. */
unsigned cost_wavefronts(const struct warp_access *a, bool load);

/* The wavefronts of the same instruction without bank conflicts. */
unsigned cost_ideal_wavefronts(const struct warp_access *a, bool load);

/* Constant memory: the number of distinct words that the lanes read; the device serves them one
 * after the other. A word has the width of the access, at least 4 bytes. This is a model: no
 * counter of Nsight Compute equals it. */
unsigned cost_constant_words(const struct warp_access *a);
