/* Events. An event is the operation that it was last recorded as: it has happened when that has
 * ended. */
#include "api/api.h"
#include "api/event.h"
#include "base/at_end.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

struct sim_event {
    bool timed;
    struct sim_item *record;     /* NULL: never recorded; holds a reference */
    struct sim_capture *capture; /* it was last recorded in a stream of this one, or NULL */
    struct sim_location location;
    struct sim_event *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct sim_event *events;

/* Hold the lock. */
static struct sim_event *find(cudaEvent_t event) {
    struct sim_event *e = events;
    while (e && e != event) {
        e = e->next;
    }
    return e;
}

struct sim_capture *sim_event_capture(cudaEvent_t event) {
    pthread_mutex_lock(&lock);
    const struct sim_event *e = find(event);
    struct sim_capture *capture = e ? e->capture : NULL;
    pthread_mutex_unlock(&lock);
    return capture;
}

void sim_end_event_capture(const struct sim_capture *capture) {
    pthread_mutex_lock(&lock);
    for (struct sim_event *e = events; e; e = e->next) {
        e->capture = e->capture == capture ? NULL : e->capture;
    }
    pthread_mutex_unlock(&lock);
}

bool sim_event_record(cudaEvent_t event, struct sim_item **record) {
    pthread_mutex_lock(&lock);
    const struct sim_event *e = find(event);
    *record = e ? e->record : NULL;
    if (*record) {
        sim_hold_item(*record);
    }
    pthread_mutex_unlock(&lock);
    return e != NULL;
}

static cudaError_t create(cudaEvent_t *event, unsigned flags, struct sim_location location) {
    const unsigned known = cudaEventBlockingSync | cudaEventDisableTiming;
    SIM_FAIL_IF(!event || flags & ~known, cudaErrorInvalidValue);
    struct sim_event *created = calloc(1, sizeof *created);
    SIM_FAIL_IF(!created, cudaErrorMemoryAllocation);
    created->timed = !(flags & cudaEventDisableTiming);
    created->location = location;
    pthread_mutex_lock(&lock);
    created->next = events;
    events = created;
    pthread_mutex_unlock(&lock);
    *event = created;
    return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *event) {
    SIM_BEGIN(cudaErrorMemoryAllocation);
    return create(event, cudaEventDefault, location);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags) {
    SIM_BEGIN(cudaErrorMemoryAllocation);
    return create(event, flags, location);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    SIM_BEGIN(cudaErrorInvalidResourceHandle);
    const struct sim_operation record = {
        .kind = SIM_OP_RECORD, .name = "cudaEventRecord", .location = location};
    struct sim_item *item = NULL;
    struct sim_capture *capture = sim_capture_of(stream);
    pthread_mutex_lock(&lock);
    struct sim_event *e = find(event);
    if (e) {
        e->capture = capture;
    }
    pthread_mutex_unlock(&lock);
    SIM_FAIL_IF(!e, cudaErrorInvalidResourceHandle);
    if (capture) {
        return capture->record(capture, stream, event);
    }
    cudaError_t error = sim_enqueue_after(stream, &record, NULL, &item);
    pthread_mutex_lock(&lock);
    if (item && (e = find(event)) != NULL) {
        struct sim_item *before = e->record;
        e->record = item;
        item = before;
    }
    pthread_mutex_unlock(&lock);
    sim_release_item(item);
    return error;
}

/* An event that was never recorded has happened. */
static cudaError_t ask(cudaEvent_t event, cudaError_t (*of_item)(struct sim_item *item)) {
    SIM_FAIL_IF(sim_event_capture(event), cudaErrorCapturedEvent);
    struct sim_item *record;
    SIM_FAIL_IF(!sim_event_record(event, &record), cudaErrorInvalidResourceHandle);
    cudaError_t answer = record ? of_item(record) : cudaSuccess;
    sim_release_item(record);
    return answer;
}

/* Must a wait for it wait? What cannot be waited for is refused: yes. */
static bool unfinished(cudaEvent_t event) {
    struct sim_item *record;
    if (sim_event_capture(event) || !sim_event_record(event, &record)) {
        return true;
    }
    const bool waits = record && sim_item_unfinished(record);
    sim_release_item(record);
    return waits;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    SIM_BEGIN_WAIT(unfinished(event));
    return sim_after(earlier, ask(event, sim_wait_item));
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
    SIM_BEGIN(cudaErrorLaunchFailure);
    return ask(event, sim_query_item);
}

/* When it happened. cudaErrorInvalidResourceHandle: it has no time; cudaErrorNotReady: not yet. */
static cudaError_t time_of(cudaEvent_t event, struct timespec *time) {
    pthread_mutex_lock(&lock);
    const struct sim_event *e = find(event);
    const bool timed = e && e->timed && e->record;
    pthread_mutex_unlock(&lock);
    struct sim_item *record = NULL;
    if (!timed || !sim_event_record(event, &record) || !record) {
        return cudaErrorInvalidResourceHandle;
    }
    const bool ended = sim_item_time(record, time);
    sim_release_item(record);
    return ended ? cudaSuccess : cudaErrorNotReady;
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end) {
    SIM_BEGIN(cudaErrorInvalidResourceHandle);
    SIM_FAIL_IF(!milliseconds, cudaErrorInvalidValue);
    struct timespec from, to;
    cudaError_t first = time_of(start, &from), second = time_of(end, &to);
    SIM_FAIL_IF(first == cudaErrorInvalidResourceHandle || second == cudaErrorInvalidResourceHandle,
                cudaErrorInvalidResourceHandle);
    SIM_FAIL_IF(first != cudaSuccess || second != cudaSuccess, cudaErrorNotReady);
    *milliseconds = (float)((double)(to.tv_sec - from.tv_sec) * 1e3 +
                            (double)(to.tv_nsec - from.tv_nsec) * 1e-6);
    return cudaSuccess;
}

/* Takes the first event, or the given one, from the list and frees it. */
static bool destroy(cudaEvent_t event, bool any) {
    pthread_mutex_lock(&lock);
    struct sim_event **at = &events;
    while (*at && *at != event && !any) {
        at = &(*at)->next;
    }
    struct sim_event *removed = *at;
    if (removed) {
        *at = removed->next;
    }
    pthread_mutex_unlock(&lock);
    if (removed) {
        sim_release_item(removed->record);
    }
    free(removed);
    return removed != NULL;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
    SIM_BEGIN_RELEASE();
    return sim_after(earlier, destroy(event, false) ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

unsigned sim_events(void) {
    unsigned count = 0;
    pthread_mutex_lock(&lock);
    for (const struct sim_event *e = events; e; e = e->next) {
        count++;
    }
    pthread_mutex_unlock(&lock);
    return count;
}

void sim_forget_events(void) {
    while (destroy(NULL, true)) {
    }
}

static void report_leaks(void) {
    for (const struct sim_event *e = events; e; e = e->next) {
        sim_report_leak(FOUND_LEAK_OF_EVENT, e->location);
    }
}
SIM_AT_END(report_leaks);
