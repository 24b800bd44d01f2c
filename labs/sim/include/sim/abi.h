/* What a compiled program and the runtime of the simulator share: every structure that one fills in
 * and the other reads, and every function that the headers of this folder, or the code that
 * the translator inserts, call. Written once, for C11 (the runtime) and C++17 (the program). */
#pragma once

#include "driver_types.h"
#include "vector_types.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- limits of the device that the compiler checks as well */

#define SIM_WARP_SIZE 32
#define SIM_BLOCK_SHARED ((size_t)48 * 1024) /* bytes of static shared memory of a block */
#define SIM_CONSTANT_BYTES ((size_t)64 * 1024)
/* Code reaches 2 GB: the most bytes of one __device__ variable, and of those of a scope. */
#define SIM_VARIABLE_BYTES ((size_t)7 << 28)
#define SIM_VARIABLES_BYTES ((size_t)31 << 26)

/* ---- variables of the device */

/* The sections that hold __constant__ and __device__ variables; those of __managed__ ones are in
 * sim_managed. The linker defines __start_NAME and __stop_NAME for each, if the program has one. */
#define SIM_CONSTANT_SECTION "sim_constant"
#define SIM_DEVICE_SECTION "sim_device"
/* Variables that begin as zeros take no room in a file: g++ cannot say so of a section, but the
 * assembler can. The comment sign hides what g++ writes after the name. */
#ifdef __aarch64__
#define SIM_DEVICE_ZERO_SECTION "sim_device_zero,\"aw\",%nobits//"
#else
#define SIM_DEVICE_ZERO_SECTION "sim_device_zero,\"aw\",@nobits#"
#endif
#ifdef SIM_RUNTIME
extern char __start_sim_constant[] __attribute__((weak));
extern char __stop_sim_constant[] __attribute__((weak));
extern char __start_sim_device[] __attribute__((weak));
extern char __stop_sim_device[] __attribute__((weak));
extern char __start_sim_managed[] __attribute__((weak));
extern char __stop_sim_managed[] __attribute__((weak));
extern char __start_sim_device_zero[] __attribute__((weak));
extern char __stop_sim_device_zero[] __attribute__((weak));
#endif

/* A __constant__, __device__ or __managed__ variable; not one of a class. In a traced program
 * `gap`, SIM_VARIABLE_GAP bytes beside it, belong to no variable; else `gap` is 0. */
#define SIM_VARIABLE_GAP 64
struct sim_variable {
    const char *name, *file;
    int line, gap;
    const void *address;
    size_t bytes;
    struct sim_variable *next;
};
void sim_register_variable(struct sim_variable *variable);

/* `size`: of the whole variable. `element`: of a number in it; 1: it has no numbers. */
cudaError_t sim_copy_to_symbol(const void *symbol, size_t size, size_t element, const void *from,
                               size_t bytes, size_t offset, enum cudaMemcpyKind kind);
cudaError_t sim_copy_from_symbol(void *to, const void *symbol, size_t size, size_t bytes,
                                 size_t offset, enum cudaMemcpyKind kind);
cudaError_t sim_copy_to_symbol_async(const void *symbol, size_t size, size_t element,
                                     const void *from, size_t bytes, size_t offset,
                                     enum cudaMemcpyKind kind, cudaStream_t stream);
cudaError_t sim_copy_from_symbol_async(void *to, const void *symbol, size_t size, size_t bytes,
                                       size_t offset, enum cudaMemcpyKind kind,
                                       cudaStream_t stream);
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
    short cooperative;    /* all blocks run at once: cudaLaunchCooperativeKernel() */
    short overlaps;       /* the kernel before it in its stream: it waits for that one itself */
    size_t closure_bytes; /* size of the arguments, as the threads read them */
};

/* __launch_bounds__() of a kernel: launches of it with more threads a block fail. Returns true. */
bool sim_bound_threads(const void *function, long long threads);

/* Calls `thread(closure)` once for each thread of the grid. */
void sim_launch(const struct sim_config *config, void (*thread)(const void *), const void *closure);

/* Reports argument `number` (from 1) of a launch if it points to the host's memory. */
void sim_check_pointer(const struct sim_config *config, int number, const volatile void *pointer);

/* A kernel whose address the program passes to cudaLaunchKernel() and the like: how to launch it
 * with the addresses of its arguments. Static; it is registered once. */
struct sim_named_kernel {
    const void *function;
    const char *name; /* NULL: unknown */
    void (*launch)(const struct sim_config *config, void *const *arguments);
    unsigned count; /* of its parameters */
    const size_t *sizes, *offsets;
    struct sim_named_kernel *next;
};
void sim_register_kernel(const struct sim_named_kernel *kernel);

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
    unsigned element;        /* bytes of an element of an array of up to three dimensions, or 0 */
    unsigned rows, columns;  /* the last two extents of an array of several dimensions, or 0 */
};

/* The address of the variable in the memory of the running block: where the slot's launch is
 * sim_shared_launch, that is sim_shared_arena + offset. */
void *sim_shared_address(struct sim_shared_slot *slot);
extern unsigned sim_shared_launch;
#ifdef SIM_RUNTIME
extern _Thread_local char *sim_shared_arena;
#elif defined(__cplusplus)
extern __thread char *const sim_shared_arena;
#endif

/* The dynamic shared memory of the running block, as large as the launch asked for. The program
 * declares it as an array of that name, with elements of so many bytes. */
void *sim_dynamic_shared(const char *name, size_t element);

/* ---- threads of a block, lanes of a warp; `file` and `line` are the caller's */

/* The indices of the running thread. The program must see constants of one plain type (CUDA has two
 * of them as dim3, to which a uint3 converts), so that a traced program does not report reads of
 * them. */
#ifdef SIM_RUNTIME
extern _Thread_local uint3 threadIdx, blockIdx, blockDim, gridDim;
#elif defined(__cplusplus)
extern __thread const uint3 threadIdx, blockIdx, blockDim, gridDim;
#endif

/* A barrier of the block. Its result, in one register: the number of true predicates, and 2^32
 * times that of threads. */
unsigned long long sim_barrier(int predicate, const char *file, int line);

/* The running thread waits for all threads of its tile: `threads` neighbours, a power of two and
 * more than a warp. */
void sim_tile_barrier(unsigned threads, const char *file, int line);

/* Each thread of such a tile passes a value of up to SIM_COLLECT_BYTES bytes and gets those of the
 * ranks first, first + step, ..., one after the other. */
struct sim_ranks {
    unsigned first, step;
};
void sim_tile_exchange(unsigned threads, const void *value, size_t bytes, struct sim_ranks ranks,
                       void *all, const char *file, int line);

/* The running thread waits for all threads of its grid. */
void sim_grid_barrier(const char *file, int line);
/* Was the grid launched so that it may do so? */
int sim_is_cooperative(void);

/* The running thread waits for the kernel that its launch may overlap. sim_lets_next_begin(): it
 * lets the one that may overlap its own begin. */
void sim_wait_for_primary(const char *file, int line);
void sim_lets_next_begin(void);

/* What the lanes of `mask` do together, once all of them that have not left are there; what they
 * pass, and what each of them gets. */
enum sim_warp_operation {
    SIM_WARP_BARRIER,
    SIM_WARP_BALLOT,    /* a predicate; the lanes that passed a true one */
    SIM_WARP_SHUFFLE,   /* a value; that of lane `from` */
    SIM_WARP_MATCH_ANY, /* a value; the lanes that passed the same */
    SIM_WARP_MATCH_ALL, /* a value; the lanes if all passed the same, or 0 */
    SIM_WARP_ADD,       /* integers, widened to 64 bits; their sum, ... */
    SIM_WARP_MIN,
    SIM_WARP_MAX,
    SIM_WARP_SIGNED_MIN,
    SIM_WARP_SIGNED_MAX,
    SIM_WARP_AND,
    SIM_WARP_OR,
    SIM_WARP_XOR,
    SIM_WARP_COLLECT, /* for sim_warp_collect() */
    SIM_WARP_ACTIVE   /* nothing, without a mask; the lanes that are at this line together, once no
                         other lane of the warp can go on */
};
unsigned long long sim_warp(enum sim_warp_operation operation, unsigned mask,
                            unsigned long long value, unsigned from, const char *file, int line);

/* A shuffle within segments of `width` lanes. `shape`: how << 8 | width. */
enum sim_shuffle_kind { SIM_SHUFFLE_INDEX, SIM_SHUFFLE_UP, SIM_SHUFFLE_DOWN, SIM_SHUFFLE_XOR };
unsigned long long sim_warp_shuffle(unsigned mask, unsigned long long value, unsigned shape,
                                    unsigned operand, const char *file, int line);

/* Each lane of `mask` passes up to SIM_COLLECT_BYTES bytes and gets those of all of them: the ones
 * of lane i at all + i * stride. */
#define SIM_COLLECT_BYTES 32
void sim_warp_collect(unsigned mask, const void *value, size_t bytes, void *all, size_t stride,
                      const char *file, int line);

/* The running thread leaves its kernel at a `return`. */
void sim_returns(int line);

/* A function that returns a value has come to its end. */
void sim_missing_return(const char *function, const char *file, int line);

/* The running thread repeats a read or an atomic function until another one lets it go on. After
 * some calls in a row, the others run. sim_sleep(): at once. */
void sim_spin(void);
void sim_sleep(void);

/* The running thread is at a fence: its lane waits for those that come there.
 * place: in the source; 0: the caller's in the code. */
void sim_fence(unsigned place);

/* From now on, the atomic functions of a traced program have the scope of the block; 0: no more. */
void sim_atomics_of_block(int begin);

/* ---- arithmetic on doubles that is rounded in one direction */

typedef enum sim_rounding {
    SIM_ROUND_NEAREST,
    SIM_ROUND_ZERO,
    SIM_ROUND_DOWN,
    SIM_ROUND_UP
} sim_rounding;

double sim_double_add(double a, double b, sim_rounding mode);
double sim_double_multiply(double a, double b, sim_rounding mode);
double sim_double_divide(double a, double b, sim_rounding mode);
double sim_double_fused(double a, double b, double c, sim_rounding mode);
double sim_double_root(double a, sim_rounding mode);

/* ---- memory that kernels allocate, copy and fill */

/* malloc() and free(): in a kernel, of the device's heap. They stand at `pc`, a return address, or
 * at a line. In a kernel NULL means that the heap, of cudaLimitMallocHeapSize bytes, is full. */
void *sim_heap_allocate(size_t bytes, const void *pc, const char *file, int line);
void *sim_heap_allocate_array(size_t bytes, const void *pc); /* for `new T[n]` */
void sim_heap_free(void *pointer, const void *pc, const char *file, int line);

/* memcpy(), memmove() and memset() of a traced program. */
void *sim_memcpy(void *to, const void *from, size_t bytes);
void *sim_memmove(void *to, const void *from, size_t bytes);
void *sim_memset(void *to, int value, size_t bytes);

/* ---- functions that the C library lacks */

double sim_erfcx(double x);
double sim_erfinv(double x);
double sim_erfcinv(double x);
double sim_normcdf(double x);
double sim_normcdfinv(double x);
double sim_bessel_i0(double x);
double sim_bessel_i1(double x);

/* The square root of the sum of `count` squares, or 1 divided by it; infinite if a number is. */
double sim_norm(int count, const double *x, bool reciprocal);

/* Ends the kernel with an error, as the device does. */
__attribute__((noreturn)) void sim_trap(const char *file, int line);

/* If the 16 bytes at `address` are those at `expected`, replaces them, atomically; else writes what
 * they are to `expected`. */
bool sim_atomic_compare_16(void *address, void *expected, const void *value);

/* Cycles of the device's clock since the program began to read it. */
unsigned long long sim_clock(void);

/* clock(): that in a kernel, and the C library's function elsewhere. */
long sim_clock_or_time(void);

/* The memory that an address belongs to, as a kernel sees it. */
enum sim_memory {
    SIM_MEMORY_NONE,
    SIM_MEMORY_GLOBAL,
    SIM_MEMORY_SHARED,
    SIM_MEMORY_CONSTANT,
    SIM_MEMORY_LOCAL
};
enum sim_memory sim_memory_of(const void *address);

/* The offset of an address in the block's shared memory, and back. */
size_t sim_shared_offset(const void *address);
void *sim_shared_at(size_t offset);
/* Is the caller a thread of a kernel? */
int sim_on_device(void);

/* The part of a group's asynchronous copy that the calling thread makes: of pieces, those whose
 * number is `rank` modulo `threads`. */
struct sim_async_copy {
    void *to;
    const void *from;
    size_t bytes;
    unsigned long long rank, threads;
};

/* The thread has begun a copy, which it makes when it waits for it. Then it asks for its oldest one
 * as long as it has more than `keep`; 0: it has not. */
void sim_copy_begins(const struct sim_async_copy *copy);
int sim_copy_due(unsigned keep, struct sim_async_copy *copy);

/* Erases the line that says how far the kernel is: the caller is about to print. */
void sim_line_clear(void);

/* ---- calls of the runtime API */

/* Sets the line of the program that makes the next call. */
void sim_site(const char *file, int line);

/* The call there copies to and from these addresses, and g++ knows that there are so many bytes;
 * SIZE_MAX: it does not. */
void sim_host_rooms(const char *file, int line, const void *to, size_t to_bytes, const void *from,
                    size_t from_bytes);

/* Written by the translator around a call whose result the program ignores. Returns `error`. */
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
SIM_LAYOUT(struct sim_config, 80, cooperative, 68);
SIM_LAYOUT(struct sim_config, 80, overlaps, 70);
SIM_LAYOUT(struct sim_config, 80, closure_bytes, 72);
SIM_LAYOUT(struct sim_named_kernel, 56, next, 48);
SIM_LAYOUT(struct sim_shared_slot, 48, size, 20);
SIM_LAYOUT(struct sim_shared_slot, 48, columns, 44);
#undef SIM_LAYOUT
#undef SIM_ASSERT
