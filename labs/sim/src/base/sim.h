/* What the parts of the simulator's runtime know of each other.
 *
 *   launch.c   checks a launch and runs its blocks      pool.c    host threads that share them out
 *   block.c    the threads of a block, barriers         warp.c    what lanes do together
 *   shared.c   a block's shared memory                  fiber.c   stacks to switch between
 *   memory.c   allocations between guard pages          fault.c   who touched what
 *   error.c    the last error, injected failures        findings.c  the report
 *   api_*.c    the runtime API
 */
#ifndef SIM_H
#define SIM_H

#define SIM_RUNTIME
#include "cuda_runtime_api.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The device that the simulator stands for, an H200: the one that its numbers were taken on. */
#define SIM_WARP 32
#define SIM_MAX_THREADS 1024 /* of a block */
#define SIM_MULTIPROCESSORS 132
#define SIM_MULTIPROCESSOR_WARPS 64
#define SIM_MULTIPROCESSOR_BLOCKS 32
#define SIM_MULTIPROCESSOR_SHARED ((size_t)228 * 1024)
#define SIM_BLOCK_SHARED ((size_t)48 * 1024)        /* of a block ... */
#define SIM_BLOCK_SHARED_OPTIN ((size_t)227 * 1024) /* ... whose kernel has asked for more */
#define SIM_RESERVED_SHARED ((size_t)1024)          /* that the system takes of each block's */
#define SIM_CONSTANT_BYTES ((size_t)64 * 1024)
#define SIM_GLOBAL_BYTES ((size_t)150109880320)

#define SIM_POISON 0xff /* NaN as a float, -1 as an int */

/* Where in the program something was called; file may be NULL. */
struct sim_place {
    const char *file;
    int line;
};

/* ---- error.c */

/* Notes an error as the thread's last one and returns it. */
cudaError_t sim_fail(cudaError_t error);

/* An error that every later call returns as well: the device is lost to this process. */
void sim_fail_for_good(cudaError_t error);
cudaError_t sim_sticky(void);

/* Begins the API call `name`: what it must return at once because the device is lost or because
 * CONVLABS_SIM_INJECT wants this call to fail with `injected`; cudaSuccess if it may go on.
 * *place: the program's line. */
cudaError_t sim_begin(const char *name, cudaError_t injected, struct sim_place *place);

/* Is this the launch that CONVLABS_SIM_INJECT wants to fail? */
bool sim_injected_launch(void);

/* A launch was refused: a finding of this kind if the program never asks for the error (by the next
 * launch or its end), with `format` as the reason. */
__attribute__((format(printf, 4, 5))) void sim_unseen_launch(const char *kind, const char *kernel,
                                                             struct sim_place place,
                                                             const char *format, ...);
void sim_report_unseen_launch(void);

/* What rewrite.py puts around a call whose result the program drops: a finding if it failed and the
 * program never asks for the error. Returns `error`. */
cudaError_t sim_dropped(cudaError_t error, const char *name, const char *file, int line);

/* At the program's end: reports what was never asked for. */
void sim_report_unseen(void);

/* ---- findings.c */

/* What a finding is about; zero members are left out of it. */
struct sim_finding {
    const char *severity; /* NULL: "error" */
    const char *kind, *kernel;
    struct sim_place place;
    const uint3 *block, *thread;
    const void *pc;       /* of the instruction */
    const void *other_pc; /* of the other access of a race */
    struct sim_place other;
};

/* Prints a finding to stderr and appends it to the file that CONVLABS_SIM_FINDINGS names. May be
 * called from a signal handler. */
__attribute__((format(printf, 2, 3))) void sim_report(const struct sim_finding *finding,
                                                      const char *format, ...);

/* The same, unless that kind of finding was reported at that place of the program before. */
__attribute__((format(printf, 2, 3))) void sim_report_once(const struct sim_finding *finding,
                                                           const char *format, ...);

/* The length of the UTF-8 character at `at`, 0 if it is none. */
size_t sim_character(const unsigned char *at);

/* ---- memory.c: see there how allocations lie. Not locked: hold the device's lock. */

enum sim_space { SIM_DEVICE_MEMORY, SIM_PINNED_MEMORY, SIM_REGISTERED_MEMORY };

struct sim_allocation {
    char *base;   /* 256-byte aligned */
    size_t bytes; /* as asked for */
    char *mapping;
    size_t mapped; /* guard pages included */
    enum sim_space space;
    unsigned flags;
    bool freed;
    struct sim_place place;
    struct shadow *shadow; /* the checks' (shadow.h), or NULL; owned */
    struct sim_allocation *next;
};

/* The width of the guard on each side of an allocation; wider ones catch what goes astray farther.
 * To be set before the first allocation. */
extern size_t sim_guard;

/* Every access is checked: nobody need look for traces of bad ones afterwards. */
extern bool sim_checked;

/* Everything that touches device memory or runs on the device does so one after the other. */
void sim_lock_device(void);
void sim_unlock_device(void);

/* New memory filled with SIM_POISON, or NULL. */
void *sim_allocate(size_t bytes, enum sim_space space, unsigned flags, struct sim_place place);

/* Notes memory of the program's own as page-locked. False when some of it is already. */
bool sim_register(void *base, size_t bytes, unsigned flags, struct sim_place place);

/* The live allocation of `space` that starts at `pointer`, or NULL. */
struct sim_allocation *sim_allocation_at(const void *pointer, enum sim_space space);

/* The allocation, live or freed, that holds `address` or whose guard pages do; NULL if none. */
const struct sim_allocation *sim_owner(const void *address);

/* The end of the device allocation or section of device variables that holds `address`, or NULL
 * when it is not the device's. */
const char *sim_device_end(const void *address);

/* Is it in a section of device variables? */
bool sim_is_in_variables(const void *address);

/* Frees it: whoever touches it later faults. */
void sim_release(struct sim_allocation *allocation);
void sim_release_device(void);

/* Device memory is out of the host's reach except between these two. The second also looks for
 * bytes written just outside of the allocations; `kernel` is to blame for them. */
void sim_open_device(void);
void sim_close_device(const char *kernel, struct sim_place place);

/* The same for a range, which may lie anywhere. */
void sim_open_range(const void *from, size_t bytes);
void sim_close_range(const void *from, size_t bytes);

void sim_report_leaks(void);

/* The bytes of live device allocations. */
size_t sim_device_bytes(void);

/* ---- api_symbol.c */

/* A __constant__ or __device__ variable, as sim_launch.h registers it in a traced program. */
#define SIM_VARIABLE_GAP 64 /* bytes beside it that belong to no variable */
struct sim_variable {
    const char *name, *file;
    int line;
    const void *address;
    size_t bytes;
    struct sim_variable *next;
};
void sim_register_variable(struct sim_variable *variable);
const struct sim_variable *sim_variables(void);

/* Is `pointer` the host's name of a variable of the device? That is no address on a GPU; here it
 * looks like one. The program has the address once it has asked for it, or a kernel has handed out
 * a pointer. Hold the device's lock. */
bool sim_is_mere_name(const void *pointer);

/* The host has copied these bytes from the device: it knows the pointers in them. Hold the lock. */
void sim_know_pointers(const void *copied, size_t bytes);

/* ---- fault.c */

/* From now on a crash is explained before the process dies of it. */
void sim_catch_faults(void);

/* Gives this host thread a stack for that, since its own may be used up. */
void sim_prepare_fault_stack(void);

/* Could this process read a byte there? */
bool sim_is_readable(const void *address);

#endif
