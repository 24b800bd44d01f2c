/* The threads of one block: one after the other, on fibers where they wait for one another. */
#ifndef SIM_BLOCK_H
#define SIM_BLOCK_H

#include "sim.h"

/* One launch, as sim_launch.h passes it. */
struct sim_config {
    dim3 grid, block;
    size_t shared; /* bytes of dynamic shared memory */
    cudaStream_t stream;
    const char *kernel, *file;
    int line;
};

/* A __shared__ variable, as sim_launch.h registers it. */
struct sim_shared {
    const char *name, *file;
    int line;
    unsigned size, align;
    unsigned launch, offset; /* the offset holds for that launch */
};

/* Called by the program's kernels. */
void *sim_shared_address(struct sim_shared *variable);
void *sim_dynamic_shared(void);
void __syncthreads(void);
int __syncthreads_count(int predicate);
int __syncthreads_and(int predicate);
int __syncthreads_or(int predicate);
void __syncwarp(unsigned mask);
unsigned __activemask(void);
unsigned __ballot_sync(unsigned mask, int predicate);
unsigned long long sim_shuffle(unsigned mask, unsigned long long value, unsigned from);
unsigned sim_lane(void);
extern _Thread_local uint3 threadIdx, blockIdx;
extern _Thread_local dim3 blockDim, gridDim;

/* Begins a launch: shared variables are laid out anew. */
void sim_block_begin_launch(void);

/* Runs all threads of block number `index` on this host thread. Returns false when the block can
 * never end, for which a finding says why, or when there is no memory for its stacks. */
bool sim_run_block(const struct sim_config *config, uint64_t index, void (*call)(const void *),
                   const void *closure);

/* The bytes of static shared memory that the present launch has used so far. */
unsigned sim_static_shared(void);

/* The thread that runs now on this host thread, for reports; false outside of kernels.
 * *stack_overflow: `address` lies just below its stack. */
bool sim_current(const char **kernel, uint3 *block, uint3 *thread, bool *stack_overflow,
                 const void *address);

#endif
