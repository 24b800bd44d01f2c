/* What a compiled program and the runtime of the simulator share: every structure that one fills in
 * and the other reads, and every function that the headers of this folder, or the code that
 * rewrite.py inserts, call. Written once, for C11 (the runtime) and C++17 (the program). */
#ifndef SIM_ABI_H
#define SIM_ABI_H

#include "driver_types.h"
#include "vector_types.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- limits of the device that the compiler checks as well */

#define SIM_WARP_SIZE 32
#define SIM_BLOCK_SHARED ((size_t)48 * 1024) /* bytes of static shared memory of a block */
#define SIM_CONSTANT_BYTES ((size_t)64 * 1024)

/* ---- variables of the device */

/* The sections that hold __constant__ and __device__ variables. The linker defines __start_NAME and
 * __stop_NAME for each, if the program has one. */
#define SIM_CONSTANT_SECTION "sim_constant"
#define SIM_DEVICE_SECTION "sim_device"
#ifdef SIM_RUNTIME
extern char __start_sim_constant[] __attribute__((weak));
extern char __stop_sim_constant[] __attribute__((weak));
extern char __start_sim_device[] __attribute__((weak));
extern char __stop_sim_device[] __attribute__((weak));
#endif

/* A __constant__ or __device__ variable of a traced program. SIM_VARIABLE_GAP bytes beside it
 * belong to no variable. */
#define SIM_VARIABLE_GAP 64
struct sim_variable {
    const char *name, *file;
    int line;
    const void *address;
    size_t bytes;
    struct sim_variable *next;
};
void sim_register_variable(struct sim_variable *variable);

/* `size`: of the whole variable. */
cudaError_t sim_copy_to_symbol(const void *symbol, size_t size, const void *from, size_t bytes,
                               size_t offset, enum cudaMemcpyKind kind);
cudaError_t sim_copy_from_symbol(void *to, const void *symbol, size_t size, size_t bytes,
                                 size_t offset, enum cudaMemcpyKind kind);
cudaError_t sim_symbol_address(void **pointer, const void *symbol, size_t size);
cudaError_t sim_symbol_size(size_t *bytes, const void *symbol, size_t size);

/* ---- launches */

/* One launch: what <<<...>>> holds, and where it stands in the program. */
struct sim_config {
    dim3 grid, block;
    size_t shared; /* bytes of dynamic shared memory */
    cudaStream_t stream;
    const void *function; /* the kernel; NULL when its instance was chosen by its arguments */
    const char *kernel, *file;
    int line;
    size_t closure_bytes; /* size of the arguments, as the threads read them */
};

/* Calls `thread(closure)` once for each thread of the grid. */
void sim_launch(const struct sim_config *config, void (*thread)(const void *), const void *closure);

/* Reports argument `number` (from 1) of a launch if it points to the host's memory. */
void sim_check_pointer(const struct sim_config *config, int number, const volatile void *pointer);

/* cudaOccupancyMaxPotentialBlockSize(): `shared(closure, threads)` is the dynamic shared memory of
 * a block of that many threads. */
cudaError_t sim_best_block(int *grid, int *block, size_t (*shared)(const void *, int),
                           const void *closure, int limit);

/* ---- shared memory */

/* One declaration of a __shared__ variable, or one instance of it in a template. */
struct sim_shared_slot {
    const char *name, *file;
    int line;
    unsigned size, align;
    unsigned launch, offset; /* the offset holds for that launch */
};

/* The address of the variable in the memory of the running block. */
void *sim_shared_address(struct sim_shared_slot *slot);

/* The dynamic shared memory of the running block, as large as the launch asked for. */
void *sim_dynamic_shared(void);

/* ---- threads of a block, lanes of a warp; `file` and `line` are the caller's */

/* The indices of the running thread. The program must see constants of one plain type (CUDA has two
 * of them as dim3, to which a uint3 converts), so that a traced program does not report reads of
 * them. */
#ifdef SIM_RUNTIME
extern _Thread_local uint3 threadIdx, blockIdx, blockDim, gridDim;
#elif defined(__cplusplus)
extern __thread const uint3 threadIdx, blockIdx, blockDim, gridDim;
#endif

/* The result of a barrier: the number of true predicates, and of threads. */
struct sim_barrier_result {
    int set, threads;
};
struct sim_barrier_result sim_barrier(int predicate, const char *file, int line);

/* Every lane of `mask` passes a value and receives that of the lane `from` (0..31). */
unsigned long long sim_warp_shuffle(unsigned mask, unsigned long long value, unsigned from,
                                    const char *file, int line);
unsigned sim_warp_ballot(unsigned mask, int predicate, const char *file, int line);
void sim_warp_barrier(unsigned mask, const char *file, int line);

/* The lanes that are at this line together, once no other lane of the warp can go on. */
unsigned sim_active_lanes(const char *file, int line);
unsigned sim_lane(void);

/* Ends the kernel with an error, as the device does. */
__attribute__((noreturn)) void sim_trap(const char *file, int line);

unsigned long long sim_clock(void);

/* Is the caller a thread of a kernel? */
int sim_on_device(void);

/* ---- calls of the runtime API */

/* Sets the line of the program that makes the next call. */
void sim_site(const char *file, int line);

/* Written by rewrite.py around a call whose result the program ignores. Returns `error`. */
cudaError_t sim_unchecked_call(cudaError_t error, const char *name, const char *file, int line);

#ifdef __cplusplus
}
#endif

/* Both compilers must agree on the layout. */
#ifdef __cplusplus
#define SIM_ASSERT static_assert
#else
#define SIM_ASSERT _Static_assert
#endif
#define SIM_LAYOUT(type, size, member, offset)                                                     \
    SIM_ASSERT(sizeof(type) == (size) && offsetof(type, member) == (offset),                       \
               #type ": the program and the runtime disagree on its layout")
SIM_LAYOUT(dim3, 12, z, 8);
SIM_LAYOUT(uint3, 12, z, 8);
SIM_LAYOUT(struct sim_variable, 48, bytes, 32);
SIM_LAYOUT(struct sim_variable, 48, next, 40);
SIM_LAYOUT(struct sim_config, 80, shared, 24);
SIM_LAYOUT(struct sim_config, 80, function, 40);
SIM_LAYOUT(struct sim_config, 80, line, 64);
SIM_LAYOUT(struct sim_config, 80, closure_bytes, 72);
SIM_LAYOUT(struct sim_shared_slot, 40, size, 20);
SIM_LAYOUT(struct sim_shared_slot, 40, offset, 32);
SIM_LAYOUT(struct sim_barrier_result, 8, threads, 4);
#undef SIM_LAYOUT
#undef SIM_ASSERT

#endif
