/* api/: the functions of the CUDA runtime API, and launches. This header: what they share. */
#pragma once

#include "base/errors.h"
#include "exec/thread.h"

/* Opens every API function: `location` is the line of the call. Returns at once if the device is
 * lost or if this call is made to fail. Never returns to a kernel. */
#define SIM_BEGIN(injected) SIM_BEGIN_AS(__func__, injected)
#define SIM_BEGIN_AS(name, injected) SIM_OPEN(sim_begin(name, injected, &location))

/* As SIM_BEGIN for a function that waits, if `for_something` is true, and for one that frees or
 * destroys something: it ends with `return sim_after(earlier, its own result)`. */
#define SIM_BEGIN_WAIT(for_something)                                                              \
    cudaError_t earlier;                                                                           \
    SIM_OPEN(sim_begin_wait(__func__, for_something, &location, &earlier))
#define SIM_BEGIN_RELEASE()                                                                        \
    cudaError_t earlier;                                                                           \
    SIM_OPEN(sim_begin_release(__func__, &location, &earlier))

#define SIM_OPEN(begin)                                                                            \
    struct sim_location location;                                                                  \
    cudaError_t at_once = begin;                                                                   \
    sim_refuse_in_kernel(__func__, location);                                                      \
    if (at_once != cudaSuccess) {                                                                  \
        return at_once;                                                                            \
    }                                                                                              \
    (void)0

static inline cudaError_t sim_after(cudaError_t earlier, cudaError_t result) {
    return sim_answer(result != cudaSuccess ? result : earlier);
}

/* The number of streams that exist. */
unsigned sim_streams(void);

/* How often cudaDeviceReset() was called. */
extern unsigned sim_device_resets;

/* Records for sim_queued() what the program queues in a stream. */
void sim_note_queued(enum sim_work work, cudaStream_t stream);
