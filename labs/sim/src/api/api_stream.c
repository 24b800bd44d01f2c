/* Streams and events. All work is done when it is queued, hence in the order of every stream; an
 * event is the time at which it was recorded. */
#include "api/api.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

enum { QUEUED_MAX = 256 }; /* the most that is recorded */

struct sim_stream {
    unsigned number;
    struct sim_stream *next;
};

struct sim_event {
    bool timed, recorded;
    struct timespec time;
    struct sim_event *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct sim_stream *streams;
static struct sim_event *events;
static unsigned streams_created;
static struct sim_queued queued[QUEUED_MAX];
static unsigned queued_count;

static bool is_default(cudaStream_t stream) {
    return !stream || stream == cudaStreamLegacy || stream == cudaStreamPerThread;
}

/* The stream if it exists, or NULL. Hold the lock. */
static const struct sim_stream *find_stream(cudaStream_t stream) {
    const struct sim_stream *s = streams;
    while (s && s != stream) {
        s = s->next;
    }
    return s;
}

bool sim_is_stream(cudaStream_t stream) {
    if (is_default(stream)) {
        return true;
    }
    pthread_mutex_lock(&lock);
    const bool known = find_stream(stream) != NULL;
    pthread_mutex_unlock(&lock);
    return known;
}

void sim_note_queued(enum sim_work work, cudaStream_t stream) {
    pthread_mutex_lock(&lock);
    const struct sim_stream *s = is_default(stream) ? NULL : find_stream(stream);
    if (queued_count < QUEUED_MAX) {
        queued[queued_count++] = (struct sim_queued){work, s ? s->number : 0};
    }
    pthread_mutex_unlock(&lock);
}

unsigned sim_queued(const struct sim_queued **list) {
    *list = queued;
    return queued_count;
}

unsigned sim_streams(void) {
    unsigned count = 0;
    pthread_mutex_lock(&lock);
    for (const struct sim_stream *s = streams; s; s = s->next) {
        count++;
    }
    pthread_mutex_unlock(&lock);
    return count;
}

static bool is_event(cudaEvent_t event) {
    pthread_mutex_lock(&lock);
    const struct sim_event *e = events;
    while (e && e != event) {
        e = e->next;
    }
    pthread_mutex_unlock(&lock);
    return e != NULL;
}

static cudaError_t create_stream(cudaStream_t *stream, unsigned flags) {
    if (!stream || flags & ~(unsigned)cudaStreamNonBlocking) {
        return sim_fail(cudaErrorInvalidValue);
    }
    struct sim_stream *created = calloc(1, sizeof *created);
    if (!created) {
        return sim_fail(cudaErrorMemoryAllocation);
    }
    pthread_mutex_lock(&lock);
    created->number = ++streams_created;
    created->next = streams;
    streams = created;
    pthread_mutex_unlock(&lock);
    *stream = created;
    return cudaSuccess;
}

cudaError_t cudaStreamCreate(cudaStream_t *stream) {
    SIM_BEGIN(cudaErrorMemoryAllocation);
    return create_stream(stream, cudaStreamDefault);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags) {
    SIM_BEGIN(cudaErrorMemoryAllocation);
    return create_stream(stream, flags);
}

static cudaError_t known_stream(cudaStream_t stream) {
    return sim_is_stream(stream) ? cudaSuccess : sim_fail(cudaErrorInvalidResourceHandle);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    SIM_BEGIN(cudaErrorLaunchFailure);
    return known_stream(stream);
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
    SIM_BEGIN(cudaErrorLaunchFailure);
    return known_stream(stream);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags) {
    SIM_BEGIN(cudaErrorInvalidResourceHandle);
    (void)flags;
    return is_event(event) ? known_stream(stream) : sim_fail(cudaErrorInvalidResourceHandle);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    SIM_BEGIN(cudaErrorInvalidResourceHandle);
    pthread_mutex_lock(&lock);
    struct sim_stream **at = &streams;
    while (*at && *at != stream) {
        at = &(*at)->next;
    }
    struct sim_stream *removed = *at;
    if (removed) {
        *at = removed->next;
    }
    pthread_mutex_unlock(&lock);
    free(removed);
    return removed ? cudaSuccess : sim_fail(cudaErrorInvalidResourceHandle);
}

static cudaError_t create_event(cudaEvent_t *event, unsigned flags) {
    if (!event || flags & ~(unsigned)(cudaEventBlockingSync | cudaEventDisableTiming)) {
        return sim_fail(cudaErrorInvalidValue);
    }
    struct sim_event *created = calloc(1, sizeof *created);
    if (!created) {
        return sim_fail(cudaErrorMemoryAllocation);
    }
    created->timed = !(flags & cudaEventDisableTiming);
    pthread_mutex_lock(&lock);
    created->next = events;
    events = created;
    pthread_mutex_unlock(&lock);
    *event = created;
    return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *event) {
    SIM_BEGIN(cudaErrorMemoryAllocation);
    return create_event(event, cudaEventDefault);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags) {
    SIM_BEGIN(cudaErrorMemoryAllocation);
    return create_event(event, flags);
}

static cudaError_t known_event(cudaEvent_t event) {
    return is_event(event) ? cudaSuccess : sim_fail(cudaErrorInvalidResourceHandle);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    SIM_BEGIN(cudaErrorInvalidResourceHandle);
    if (!is_event(event) || !sim_is_stream(stream)) {
        return sim_fail(cudaErrorInvalidResourceHandle);
    }
    event->recorded = true;
    clock_gettime(CLOCK_MONOTONIC, &event->time);
    return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    SIM_BEGIN(cudaErrorLaunchFailure);
    return known_event(event);
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
    SIM_BEGIN(cudaErrorLaunchFailure);
    return known_event(event);
}

static bool has_time(cudaEvent_t event) {
    return is_event(event) && event->timed && event->recorded;
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end) {
    SIM_BEGIN(cudaErrorInvalidResourceHandle);
    if (!milliseconds) {
        return sim_fail(cudaErrorInvalidValue);
    }
    if (!has_time(start) || !has_time(end)) {
        return sim_fail(cudaErrorInvalidResourceHandle);
    }
    *milliseconds = (float)((double)(end->time.tv_sec - start->time.tv_sec) * 1e3 +
                            (double)(end->time.tv_nsec - start->time.tv_nsec) * 1e-6);
    return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
    SIM_BEGIN(cudaErrorInvalidResourceHandle);
    pthread_mutex_lock(&lock);
    struct sim_event **at = &events;
    while (*at && *at != event) {
        at = &(*at)->next;
    }
    struct sim_event *removed = *at;
    if (removed) {
        *at = removed->next;
    }
    pthread_mutex_unlock(&lock);
    free(removed);
    return removed ? cudaSuccess : sim_fail(cudaErrorInvalidResourceHandle);
}
