/* What a stream is: its priority, flags and attributes. */
#include "api/api.h"
#include "queue/lock.h"
#include "queue/queue.h"
#include "queue/schedule.h"
#include "queue/stream.h"

/* An H200's range. A smaller number is a higher priority. */
enum { LEAST = 0, GREATEST = -5 };

static int clamped(int priority) {
    return priority > LEAST ? LEAST : priority < GREATEST ? GREATEST : priority;
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
    SIM_BEGIN(cudaErrorInvalidValue);
    if (least) {
        *least = LEAST;
    }
    if (greatest) {
        *greatest = GREATEST;
    }
    return cudaSuccess;
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int priority) {
    SIM_BEGIN(cudaErrorMemoryAllocation);
    SIM_FAIL_IF(!stream || flags & ~(unsigned)cudaStreamNonBlocking, cudaErrorInvalidValue);
    sim_lock_queue();
    *stream = sim_new_stream(flags, clamped(priority), location);
    sim_unlock_queue();
    return *stream ? cudaSuccess : sim_fail(cudaErrorMemoryAllocation);
}

/* Copies what is known of a stream to *copy, or returns the error of the call. */
static cudaError_t look_up(cudaStream_t handle, const void *to, struct sim_stream *copy) {
    sim_lock_queue();
    const struct sim_stream *stream = sim_stream_of(handle);
    if (stream) {
        *copy = *stream;
    }
    sim_unlock_queue();
    SIM_FAIL_IF(!stream, cudaErrorInvalidResourceHandle);
    return to ? cudaSuccess : sim_fail(cudaErrorInvalidValue);
}

#define GET(to, value)                                                                             \
    SIM_BEGIN(cudaErrorInvalidResourceHandle);                                                     \
    struct sim_stream stream;                                                                      \
    cudaError_t error = look_up(handle, to, &stream);                                              \
    if (error == cudaSuccess) {                                                                    \
        *(to) = value;                                                                             \
    }                                                                                              \
    return error

cudaError_t cudaStreamGetPriority(cudaStream_t handle, int *priority) {
    GET(priority, stream.priority);
}

cudaError_t cudaStreamGetFlags(cudaStream_t handle, unsigned int *flags) {
    GET(flags, stream.blocking || !stream.created ? cudaStreamDefault : cudaStreamNonBlocking);
}

/* ---- attributes */

cudaError_t cudaStreamSetAttribute(cudaStream_t handle, cudaStreamAttrID attribute,
                                   const cudaStreamAttrValue *value) {
    SIM_BEGIN(cudaErrorInvalidValue);
    bool known = attribute == cudaStreamAttributeAccessPolicyWindow ||
                 attribute == cudaStreamAttributeSynchronizationPolicy ||
                 attribute == cudaStreamAttributePriority;
    SIM_FAIL_IF(!value || !known, cudaErrorInvalidValue);
    sim_lock_queue();
    struct sim_stream *stream = sim_stream_of(handle);
    if (stream && attribute == cudaStreamAttributePriority) { /* the others change no result */
        stream->priority = clamped(value->priority);
    }
    sim_unlock_queue();
    return stream ? cudaSuccess : sim_fail(cudaErrorInvalidResourceHandle);
}
