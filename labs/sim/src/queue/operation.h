/* What a program queues in a stream: kernels, copies, fills, calls of host functions, events. */
#pragma once

#include "base/findings.h"

enum sim_operation_kind {
    SIM_OP_KERNEL,
    SIM_OP_COPY,
    SIM_OP_FILL,
    SIM_OP_HOST_CALL, /* runs without the device's lock */
    SIM_OP_ALLOCATE,  /* memory in the order of a stream; no function but in a graph */
    SIM_OP_FREE,
    SIM_OP_RECORD, /* of an event; no function */
    SIM_OP_WAIT,   /* for an event; no function */
};

/* Memory that an operation accesses: `rows` rows of `bytes` bytes, `pitch` bytes apart. */
struct sim_range {
    const void *from;
    size_t bytes, pitch, rows; /* pitch may be 0 if there is one row */
    bool written;              /* else read */
};

enum { SIM_RANGES = 4 };

/* One operation. sim_enqueue() copies this structure and the bytes of the closure. */
struct sim_operation {
    enum sim_operation_kind kind;
    const char *name; /* a kernel's, or the API function's: "cudaMemcpyAsync"; lives forever */
    struct sim_location location; /* of the call */
    /* Runs it, with the device's lock held (not SIM_OP_HOST_CALL). `closure` points to the queue's
     * copy, 128-byte aligned. An error is reported by sim_fail_for_good(). NULL: nothing to run. */
    void (*run)(void *closure);
    const void *closure;
    size_t closure_bytes;
    /* Not NULL: the operation may overlap the kernel before it in its stream, for which it waits
     * itself. In a program that is not traced this runs it to where it does, as run() does, before
     * that kernel runs; then run() goes on, on the same host thread. False: it has not begun. */
    bool (*begin)(void *closure);
    /* Frees what the closure owns, after run() or when the operation is dropped; may be NULL. */
    void (*destroy)(void *closure);
    /* What it is known to access before it runs, for the checks. A kernel's accesses are observed
     * as it runs. */
    struct sim_range ranges[SIM_RANGES];
    unsigned range_count;
};

/* A capture receives the operations of a stream instead of the queue: struct sim_stream. What is
 * NULL is not allowed while it lasts. Each is called without a lock and returns the call's error.
 */
struct sim_capture {
    cudaError_t (*take)(struct sim_capture *capture, cudaStream_t stream,
                        const struct sim_operation *operation);
    /* An event is recorded in a stream of the capture; a stream waits for it from then on. */
    cudaError_t (*record)(struct sim_capture *capture, cudaStream_t stream, cudaEvent_t event);
    cudaError_t (*wait)(struct sim_capture *capture, cudaStream_t stream, cudaEvent_t event);
    /* The program waits for a stream of the capture, or asks whether its work has ended. */
    cudaError_t (*refuse)(struct sim_capture *capture);
};
