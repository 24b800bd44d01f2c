/* The CUDA runtime API for C and C++, as far as the simulator supports it; CONVLABS_SIM is defined.
 * Each function does what NVIDIA documents and returns the codes of a driver. What is queued in a
 * stream runs when something waits for it.
 *
 * In C++ every call also passes the file and line of the caller, which findings name. */
#pragma once
#define __CUDA_RUNTIME_API_H__ /* programs test this one */

#include "driver_types.h"
#include "sim/abi.h"
#include "vector_types.h"

#define CONVLABS_SIM 1
#define CUDART_VERSION 13000

#ifdef __cplusplus
extern "C++" {
#define SIM_EXTERN_C extern "C"
#define SIM_DEFAULT(value) = value
#define SIM_SITE const char *sim_file = __builtin_FILE(), int sim_line = __builtin_LINE()
#ifdef __SANITIZE_THREAD__
#include "sim/confine.h"
#define SIM_CONFINE(...) sim_confine_results(sim_file, sim_line, __VA_ARGS__)
#else
#define SIM_CONFINE(...) (void)0
#endif
#define SIM_API_AS(mark, name, arguments, ...)                                                     \
    extern "C" cudaError_t sim_c_##name(__VA_ARGS__) __asm__(#name);                               \
    mark static inline cudaError_t name(__VA_ARGS__, SIM_SITE) {                                   \
        sim_site(sim_file, sim_line);                                                              \
        SIM_CONFINE arguments;                                                                     \
        return sim_c_##name arguments;                                                             \
    }
/* A copy: g++ knows the sizes of many variables. */
#define SIM_API_COPY(name, arguments, ...)                                                         \
    extern "C" cudaError_t sim_c_##name(__VA_ARGS__) __asm__(#name);                               \
    __attribute__((always_inline)) static inline cudaError_t name(__VA_ARGS__, SIM_SITE) {         \
        sim_site(sim_file, sim_line);                                                              \
        SIM_CONFINE arguments;                                                                     \
        sim_host_rooms(sim_file, sim_line, to, __builtin_object_size(to, 0), from,                 \
                       __builtin_object_size(from, 0));                                            \
        return sim_c_##name arguments;                                                             \
    }
#define SIM_API_VOID_AS(mark, name)                                                                \
    extern "C" cudaError_t sim_c_##name(void) __asm__(#name);                                      \
    mark static inline cudaError_t name(SIM_SITE) {                                                \
        sim_site(sim_file, sim_line);                                                              \
        return sim_c_##name();                                                                     \
    }
#else
#define SIM_EXTERN_C extern
#define SIM_DEFAULT(value)
#define SIM_API_AS(mark, name, arguments, ...) mark cudaError_t name(__VA_ARGS__);
#define SIM_API_COPY(name, arguments, ...) SIM_API_AS(, name, arguments, __VA_ARGS__)
#define SIM_API_VOID_AS(mark, name) mark cudaError_t name(void);
#endif
#define SIM_API(name, ...) SIM_API_AS(, name, __VA_ARGS__)
#define SIM_API_VOID(name) SIM_API_VOID_AS(, name)
/* A function that programs should no longer call. */
#define SIM_API_REMOVED(name, instead, ...) SIM_API_AS(SIM_REMOVED(instead), name, __VA_ARGS__)
#define SIM_API_VOID_REMOVED(name, instead) SIM_API_VOID_AS(SIM_REMOVED(instead), name)

/* ---- convlabs' own: not part of CUDA */

/* Starts counting the calls for CONVLABS_SIM_INJECT=NAME:N, which makes the N-th one fail. The name
 * `call` stands for all that sim_fail_call() counts, and begins its counting. */
SIM_EXTERN_C void sim_inject_arm(void);

/* From now on, of the calls that can fail (all but those that ask for the last error, and launches
 * as well) number `number`, from 1, fails with this error. 0: none; SIM_FIRST_LAUNCH: the first
 * launch. A call that frees or destroys something does so before it fails. A wait for work that has
 * already ended cannot fail. */
enum { SIM_FIRST_LAUNCH = -1 };
SIM_EXTERN_C void sim_fail_call(int number, cudaError_t error);

/* How many such calls there were since sim_fail_call(), and in which places: the first
 * SIM_COUNTED_SITES of them, each with the numbers of its first and its last call. */
enum { SIM_COUNTED_SITES = 48 };
struct sim_counted_site {
    const char *name; /* "launch" for a launch */
    int line;         /* 0: not known */
    int first, last;
};
SIM_EXTERN_C int sim_counted_calls(const struct sim_counted_site **site, int *count);

/* The name of the call that was made to fail since sim_fail_call(), by it or by
 * CONVLABS_SIM_INJECT; "launch" for a launch; NULL: none. *line, unless NULL: its own, 0
 * where that is not known. */
SIM_EXTERN_C const char *sim_failed_call(int *line);

/* The name of the first call since sim_inject_arm() that failed, and its line, if it failed with
 * this error and not on purpose; else NULL. */
SIM_EXTERN_C const char *sim_first_failed(cudaError_t error, const char **file, int *line);

/* From now on the device allows a block that much shared memory where its kernel has asked for more
 * than 48 KB: cudaDevAttrMaxSharedMemoryPerBlockOptin. 0: as at first. */
SIM_EXTERN_C void sim_limit_shared(size_t bytes);

/* What the program holds: allocations of device memory (managed memory, too), page-locked memory
 * (allocated or registered), streams, events. sim_held() is false after an error that the device
 * does not survive: nothing can be freed then, and so nothing was left behind. */
struct sim_held {
    unsigned device, pinned, streams, events;
};
SIM_EXTERN_C int sim_held(struct sim_held *held);

/* How often the program has waited for work of the device that had not ended, with
 * cudaDeviceSynchronize(), cudaStreamSynchronize() or cudaEventSynchronize(). */
SIM_EXTERN_C unsigned sim_waits(void);

/* Has the program freed or unpinned memory while the device had work that had not ended, and not
 * called what waits since? To free waits, but says nothing of the work's errors. */
SIM_EXTERN_C int sim_freed_early(void);

/* Has the device work that has not ended? Runs none of it. */
SIM_EXTERN_C int sim_has_work(void);

/* May work that has not ended meet that of a later call, as a kernel need not wait for the one
 * before it? Not where accesses are not checked. */
SIM_EXTERN_C int sim_may_meet_next_call(void);

/* How many bytes of device memory the program has been able to see on the host: copied there, or in
 * managed and page-locked memory that it has allocated or registered. */
SIM_EXTERN_C size_t sim_seen_by_host(void);

/* The student's code is called next, by the function with this frame; NULL: it has returned. */
SIM_EXTERN_C void sim_students_turn(const void *frame);

/* Findings from now on have the number of a runner's step; below 0: none. */
SIM_EXTERN_C void sim_set_step(int number);

/* Findings call the device memory that begins there by this name, such as "d_out". The name must
 * live as long as the memory. */
SIM_EXTERN_C void sim_name_memory(const void *pointer, const char *name);

/* The device memory that begins there gets the results of what is called: counters say which
 * launches store to it. */
SIM_EXTERN_C void sim_expect_result(const void *pointer);

/* Changes what device memory holds that the program has not written yet; it stays unwritten. */
SIM_EXTERN_C void sim_fill_unwritten(void *memory, const void *content, size_t bytes);

/* Puts `bytes` bytes of a file, from the one at `from` on, in the place of device memory that no
 * kernel has accessed, all of them whole pages. The memory is the device's own once it is written.
 * Returns 0 where that cannot be. */
SIM_EXTERN_C int sim_place_pages(void *memory, size_t bytes, int file, size_t from);

/* Does device memory hold the same as that memory of the host? Waits for nothing. */
SIM_EXTERN_C int sim_holds(const void *memory, const void *content, size_t bytes);

/* What a program has queued in streams: its launches, and its copies with cudaMemcpyAsync(). */
enum sim_work { SIM_LAUNCH, SIM_COPY_THERE, SIM_COPY_BACK };

struct sim_queued {
    enum sim_work work;
    unsigned stream; /* 0 is the default stream; those that were created count from 1 */
    int overlaps;    /* is it a copy, and the one before it had not ended when it was queued, nor
                      * must another stream's have ended before it may begin? */
};

/* *list: the first of them, in the order of the calls. Returns their number. */
SIM_EXTERN_C unsigned sim_queued(const struct sim_queued **list);

/* Clears that list; streams that are created from now on count from 1 again. */
SIM_EXTERN_C void sim_forget_queued(void);

/* The kind of host memory that a copy to the device reads. */
enum sim_host_memory { SIM_PAGEABLE, SIM_PAGE_LOCKED, SIM_WRITE_COMBINED };

/* Copies from one buffer of the host to the device, with cudaMemcpy() or a form of it. */
struct sim_copied {
    const void *from;
    size_t bytes;
    enum sim_host_memory memory;
};

/* *list: the first of them, in the order of the calls. Returns their number. */
SIM_EXTERN_C unsigned sim_copied(const struct sim_copied **list);

/* The bytes that were copied from page-locked memory to the device; back: from the device to it. */
SIM_EXTERN_C size_t sim_copied_page_locked(int back);

/* How many bytes of an input have no byte of the same value among those that were copied from the
 * host to the device, in whatever order and place: what the host has changed or used up itself. */
SIM_EXTERN_C size_t sim_not_copied(const void *input, size_t bytes);

/* Clears that list and these counts. */
SIM_EXTERN_C void sim_forget_copied(void);

/* ---- errors */

SIM_EXTERN_C const char *cudaGetErrorName(cudaError_t error);
SIM_EXTERN_C const char *cudaGetErrorString(cudaError_t error);
SIM_API_VOID(cudaGetLastError)
SIM_API_VOID(cudaPeekAtLastError)

#include "sim/api_device.h"

#include "sim/api_array.h"
#include "sim/api_graph.h"
#include "sim/api_kernel.h"
#include "sim/api_memory.h"
#include "sim/api_removed.h"
#include "sim/api_stream.h"

#ifdef __cplusplus
}
#elif !defined(SIM_RUNTIME)
#include "sim/sites.h"
#endif
