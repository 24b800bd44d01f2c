/* What the parts of the simulator's runtime know of each other. */
#ifndef SIM_H
#define SIM_H

#include "cuda_runtime_api.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The runtime's own calls are not the program's: they leave no line. */
#undef cudaMalloc
#undef cudaMallocPitch
#undef cudaFree
#undef cudaMallocHost
#undef cudaHostAlloc
#undef cudaFreeHost
#undef cudaMemcpy
#undef cudaMemcpyAsync
#undef cudaMemcpy2D
#undef cudaMemset
#undef cudaMemsetAsync

#define SIM_WARP 32
#define SIM_MAX_THREADS 1024 /* of a block */
#define SIM_STATIC_SHARED (48u * 1024)
#define SIM_MAX_SHARED (227u * 1024) /* of a block, where the kernel has asked for it */

/* Where in the program something was called. */
struct sim_place {
    const char *file;
    int line;
};

/* ---- error.c: the last error, as the runtime keeps it */

/* Notes an error and returns it. Success is not noted. */
cudaError_t sim_fail(cudaError_t error);

/* An error that every later call returns as well: the device is lost to this process. */
void sim_fail_for_good(cudaError_t error);
cudaError_t sim_sticky(void);

/* A launch failed: unless the program asks for the error, this is a finding of its own. */
void sim_error_unseen(const char *kernel, struct sim_place place);
void sim_report_unseen(void);

/* True when this call of `name` is the one that CONVLABS_SIM_INJECT wants to fail. */
bool sim_injected(const char *name);

/* The line that made the runtime call in progress. */
struct sim_place sim_here(void);

/* ---- findings.c */

/* What a finding is about; zero members are left out. */
struct sim_finding {
    const char *severity, *kind, *kernel;
    struct sim_place place;
    const uint3 *block, *thread;
    const void *pc;
};

/* Prints a finding to stderr and appends it to the file that CONVLABS_SIM_FINDINGS names. */
__attribute__((format(printf, 2, 3))) void sim_report(const struct sim_finding *finding,
                                                      const char *format, ...);

/* ---- memory.c: allocations, each between two guard pages */

enum sim_space { SIM_DEVICE_MEMORY, SIM_PINNED_MEMORY };

struct sim_allocation {
    char *base; /* 256-byte aligned; its end rounded up to 256 bytes meets the guard page */
    size_t bytes;
    char *mapping;
    size_t mapped;
    enum sim_space space;
    unsigned flags;
    bool freed;
    struct sim_place place;
    struct sim_allocation *next;
};

/* New memory filled with 0xff, or NULL. */
void *sim_allocate(size_t bytes, enum sim_space space, unsigned flags, struct sim_place place);

/* The live allocation that starts at `pointer`, or NULL. */
struct sim_allocation *sim_owner_of_base(const void *pointer, enum sim_space space);

/* The allocation, live or freed, whose mapping (guard pages included) holds `address`. */
const struct sim_allocation *sim_mapping_of(const void *address);

/* The live device allocation or device variable that holds `address`; its end in *end. */
bool sim_is_device(const void *address, const char **end);

/* Frees it: any later access faults. */
void sim_release(struct sim_allocation *allocation);
void sim_release_all(void);
void sim_report_leaks(void);




/* ---- fault.c */
void sim_catch_faults(void);
void sim_fault_stack(void); /* gives this host thread a stack for the handler */

#endif
