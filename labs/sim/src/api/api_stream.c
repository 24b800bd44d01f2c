/* Streams: creation, waiting, destruction. */
#include "api/api.h"
#include "api/event.h"
#include "queue/lock.h"
#include "queue/queue.h"
#include "queue/schedule.h"
#include "queue/stream.h"

enum { QUEUED_MAX = 256 }; /* the most that is recorded */

static struct sim_queued queued[QUEUED_MAX];
static unsigned queued_count;
static unsigned forgotten; /* streams that were created before sim_forget_queued() */

static bool is_unfinished(uint64_t number) {
    const struct sim_item *item = sim_oldest_item();
    while (item && item->number < number) {
        item = item->newer;
    }
    return item && item->number == number;
}

/* Must the newest item wait for the one with this number? */
static bool newest_waits_for(uint64_t number) {
    bool waits = false;
    for (struct sim_item *item = sim_oldest_item(); item; item = item->newer) {
        item->marked = item->number == number;
        for (unsigned i = 0; i < item->dependency_count; i++) {
            const struct sim_item *d = item->dependencies[i];
            item->marked |= d->state != SIM_ENDED && d->marked;
        }
        waits = item->marked;
    }
    return waits;
}

void sim_note_queued(enum sim_work work, cudaStream_t stream) {
    static uint64_t last_copy;
    static const struct sim_stream *stream_of_it;
    sim_lock_queue();
    const struct sim_stream *s = sim_stream_of(stream);
    bool overlaps = false;
    if (work != SIM_LAUNCH) {
        overlaps = is_unfinished(last_copy) && (s == stream_of_it || !newest_waits_for(last_copy));
        last_copy = sim_newest_number();
        stream_of_it = s;
    }
    if (queued_count < QUEUED_MAX) {
        const unsigned number = s && s->number ? s->number - forgotten : 0;
        queued[queued_count++] = (struct sim_queued){work, number, overlaps};
    }
    sim_unlock_queue();
}

unsigned sim_queued(const struct sim_queued **list) {
    *list = queued;
    return queued_count;
}

void sim_forget_queued(void) {
    sim_lock_queue();
    queued_count = 0;
    forgotten = sim_streams_created();
    sim_unlock_queue();
}

unsigned sim_streams(void) {
    unsigned count = 0;
    sim_lock_queue();
    for (const struct sim_stream *s = sim_first_stream(); s; s = s->next) {
        count += s->created;
    }
    sim_unlock_queue();
    return count;
}

static cudaError_t create(cudaStream_t *stream, unsigned flags, int priority,
                          struct sim_location location) {
    SIM_FAIL_IF(!stream || flags & ~(unsigned)cudaStreamNonBlocking, cudaErrorInvalidValue);
    sim_lock_queue();
    *stream = sim_new_stream(flags, priority, location);
    sim_unlock_queue();
    return *stream ? cudaSuccess : sim_fail(cudaErrorMemoryAllocation);
}

cudaError_t cudaStreamCreate(cudaStream_t *stream) {
    SIM_BEGIN(cudaErrorMemoryAllocation);
    return create(stream, cudaStreamDefault, 0, location);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags) {
    SIM_BEGIN(cudaErrorMemoryAllocation);
    return create(stream, flags, 0, location);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    SIM_BEGIN_WAIT(sim_stream_unfinished(stream));
    return sim_after(earlier, sim_wait_stream(stream));
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
    SIM_BEGIN(cudaErrorLaunchFailure);
    return sim_query_stream(stream);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags) {
    SIM_BEGIN(cudaErrorInvalidResourceHandle);
    struct sim_capture *capture = sim_event_capture(event);
    if (capture && sim_is_stream(stream)) {
        return capture->wait(capture, stream, event);
    }
    struct sim_item *record;
    SIM_FAIL_IF(!sim_event_record(event, &record) || !sim_is_stream(stream),
                cudaErrorInvalidResourceHandle);
    if (flags & ~1u) {
        sim_release_item(record);
        return sim_fail(cudaErrorInvalidValue);
    }
    const struct sim_operation wait = {
        .kind = SIM_OP_WAIT, .name = "cudaStreamWaitEvent", .location = location};
    cudaError_t error = record ? sim_enqueue_after(stream, &wait, record, NULL) : cudaSuccess;
    sim_release_item(record);
    return error;
}

/* What is queued in it still runs: the handle ends at once. */
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    SIM_BEGIN_RELEASE();
    return sim_after(earlier,
                     sim_destroy_stream(stream) ? cudaSuccess : cudaErrorInvalidResourceHandle);
}
