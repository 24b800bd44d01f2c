/* profile/: the counters of a traced program, as Nsight Compute would give them.
 *
 * This header: the counters of one launch for each site, which is one memory access in the
 * program. */
#pragma once

#include "exec/thread.h"
#include "profile/worst_access.h"

/* Begins a launch: forgets all sites. Returns whether CONVLABS_SIM_PROFILE asks for its
 * counters. */
bool profile_begin(const struct sim_config *config);

/* Begins a block of the launch. Returns whether it is counted: CONVLABS_SIM_SAMPLE may limit the
 * number of blocks that are (block_sample.h). */
bool profile_begin_block(const uint3 *block);

/* Is it one of the blocks that are counted? */
bool profile_counts_block(const uint3 *block);

/* What the threads of a block did, one bit each by their numbers. */
struct profile_block {
    uint32_t stored[SIM_MAX_THREADS / WARP_LANES];   /* to global memory */
    uint32_t accessed[SIM_MAX_THREADS / WARP_LANES]; /* memory of any space */
    uint64_t passes;                                 /* of its warps: passes.h */
    uint8_t received[SIM_MAX_THREADS]; /* values from shared memory and other lanes, up to a few */
};

/* Other blocks run: returns what is to be kept of this one. Then it goes on. */
struct profile_block profile_block_parks(void);
void profile_block_resumes(const uint3 *block, const struct profile_block *kept);

/* A thread of the block stores to global memory, by an access that is not counted. */
void profile_stores(unsigned thread);

/* These lanes of the warp that begins with thread `first` exchange values, as with a shuffle. */
void profile_exchange(unsigned first, uint32_t lanes);

/* The block has ended. */
void profile_end_block(const uint3 *block);

/* The warp whose lanes have all run passed what passes.h counts. */
void profile_end_warp(void);

/* Warp instructions of the warp that begins with thread `first` are counted next. */
void profile_begin_warp(unsigned first);

/* The memory that a request goes to. PROFILE_UNKNOWN: what the device cannot access, which counts
 * as all that a request of so many lanes can cost anywhere. PROFILE_LOCAL: a thread's own, which is
 * not counted. */
enum profile_space {
    PROFILE_GLOBAL,
    PROFILE_SHARED,
    PROFILE_CONSTANT,
    PROFILE_TEXTURE,
    PROFILE_UNKNOWN,
    PROFILE_LOCAL,
    PROFILE_SPACES
};

/* An instruction is one request to each memory that its lanes' addresses belong to. This is the
 * request that the lowest of `lanes` takes part in: its memory, and which of these lanes do. Where
 * lanes point to other memory, too, those of constant memory belong to the request to global
 * memory, as on a device: the instruction is not one that reads constants. */
struct profile_request {
    enum profile_space space;
    uint32_t lanes;
};
struct profile_request profile_request(const struct worker *w, uint64_t code,
                                       const struct warp_access *access, uint32_t lanes);

/* Counts a request of the block that runs, whose lanes are the active ones of `access`. Returns
 * false when out of memory. */
bool profile_count(uint64_t code, enum profile_space space, const struct warp_access *access);

/* What the launch has counted so far at the site of an instruction; without a `space`, it does not
 * count such accesses. */
struct profile_counts {
    const char *space; /* "global", "shared", "constant", "texture" or "unknown" */
    uint64_t sectors, new_sectors, again, wavefronts, ideal, words;
};
struct profile_counts profile_counts(uint64_t code, enum profile_space space);

/* The costliest instruction of a site of the launch, numbered from 0, its code and its space; NULL
 * where none is kept, as for all sites from MOST_WORST_SITES on. */
const struct worst_access *profile_costliest(uint32_t site, uint64_t *code, const char **space);

/* Appends one line of JSON for the launch to the file of CONVLABS_SIM_PROFILE. `complete`: no event
 * was lost for lack of memory. closure: what each thread calls (sim_run() in
 * include/sim/launch.h). */
void profile_write(const struct sim_config *config, const void *closure, bool complete);
