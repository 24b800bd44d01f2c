/* Functions of the host that run in the order of a stream. */
#include "api/api.h"
#include "calls/call_targets.h"
#include "queue/queue.h"

#include <unistd.h>

struct call {
    cudaHostFn_t function; /* or else: */
    cudaStreamCallback_t callback;
    cudaStream_t stream;
    void *data;
};

static void check_function(const struct call *call, struct sim_location location) {
    if (!call_target_permitted(call->function ? (uintptr_t)call->function
                                              : (uintptr_t)call->callback)) {
        sim_report(&(struct sim_finding){.found = FOUND_FOREIGN_POINTER, .location = location});
        _exit(CALL_TARGETS_STATUS);
    }
}

static void run(void *closure) {
    const struct call *call = closure;
    check_function(call, (struct sim_location){0}); /* it may have been overwritten in the queue */
    if (call->function) {
        call->function(call->data);
    } else {
        call->callback(call->stream, sim_sticky(), call->data);
    }
}

static cudaError_t enqueue(const struct call *call, const char *name,
                           struct sim_location location) {
    check_function(call, location);
    const struct sim_operation operation = {.kind = SIM_OP_HOST_CALL,
                                            .name = name,
                                            .location = location,
                                            .run = run,
                                            .closure = call,
                                            .closure_bytes = sizeof *call};
    return sim_enqueue(call->stream, &operation);
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data) {
    SIM_BEGIN(cudaErrorInvalidValue);
    const struct call call = {.function = function, .stream = stream, .data = data};
    return function ? enqueue(&call, __func__, location) : sim_fail(cudaErrorInvalidValue);
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *data,
                                  unsigned int flags) {
    SIM_BEGIN(cudaErrorInvalidValue);
    const struct call call = {.callback = callback, .stream = stream, .data = data};
    bool valid = callback && flags == 0;
    return valid ? enqueue(&call, __func__, location) : sim_fail(cudaErrorInvalidValue);
}
