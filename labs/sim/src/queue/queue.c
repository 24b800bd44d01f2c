#include "queue/queue.h"

#include "base/at_end.h"
#include "base/errors.h"
#include "base/options.h"
#include "queue/check.h"
#include "queue/host_access.h"
#include "queue/lock.h"
#include "queue/schedule.h"
#include "queue/unawaited_work.h"

static cudaError_t enqueue(cudaStream_t handle, const struct sim_operation *operation,
                           struct sim_item *after, struct sim_item **queued) {
    struct sim_stream *stream = sim_stream_of(handle);
    if (!stream) {
        return cudaErrorInvalidResourceHandle;
    }
    struct sim_item *item = sim_new_item(operation);
    if (!item) {
        return cudaErrorMemoryAllocation;
    }
    item->async = sim_async_new(stream, operation);
    if (!sim_find_dependencies(item, stream, after)) {
        sim_drop_item(item);
        return cudaErrorMemoryAllocation;
    }
    sim_async_remember_source(item->async);
    sim_follow(item, stream->tail);
    sim_drop_item(stream->tail);
    stream->tail = item;
    item->references++;
    if (queued) {
        item->references++;
        *queued = item;
    }
    sim_schedule(item);
    if (operation->kind == SIM_OP_HOST_CALL) {
        sim_start_progress();
    }
    return cudaSuccess;
}

/* A capture that work in the legacy default stream would have to wait for, or NULL. */
static struct sim_capture *captured_with_legacy(void) {
    for (const struct sim_stream *s = sim_first_stream(); s; s = s->next) {
        if (s->blocking && s->capture) {
            return s->capture;
        }
    }
    return NULL;
}

cudaError_t sim_enqueue_after(cudaStream_t handle, const struct sim_operation *operation,
                              struct sim_item *after, struct sim_item **item) {
    if (item) {
        *item = NULL;
    }
    sim_lock_queue();
    const struct sim_stream *stream = sim_stream_of(handle);
    struct sim_capture *capture = stream ? stream->capture : NULL;
    struct sim_capture *implicit = stream == &sim_legacy_stream ? captured_with_legacy() : NULL;
    cudaError_t error = capture || implicit ? cudaSuccess : enqueue(handle, operation, after, item);
    sim_unlock_queue();
    if (implicit) {
        implicit->refuse(implicit);
        return sim_fail(cudaErrorStreamCaptureImplicit);
    }
    if (capture) {
        return capture->take(capture, handle, operation);
    }
    return error == cudaSuccess ? error : sim_fail(error);
}

struct sim_capture *sim_capture_of(cudaStream_t handle) {
    sim_lock_queue();
    const struct sim_stream *stream = sim_stream_of(handle);
    struct sim_capture *capture = stream ? stream->capture : NULL;
    sim_unlock_queue();
    return capture;
}

cudaError_t sim_enqueue(cudaStream_t stream, const struct sim_operation *operation) {
    return sim_enqueue_after(stream, operation, NULL, NULL);
}

static cudaError_t after_waiting(void) {
    return sim_sticky() == cudaSuccess ? cudaSuccess : sim_fail(sim_sticky());
}

cudaError_t sim_wait_item(struct sim_item *item) {
    sim_lock_queue();
    sim_complete(item);
    sim_async_waited(item->async);
    sim_unlock_queue();
    return after_waiting();
}

cudaError_t sim_enqueue_and_wait(cudaStream_t stream, const struct sim_operation *operation) {
    struct sim_item *item;
    cudaError_t error = sim_enqueue_after(stream, operation, NULL, &item);
    if (item) {
        error = sim_wait_item(item);
        sim_release_item(item);
    }
    return error;
}

cudaError_t sim_wait_all(void) {
    sim_lock_queue();
    sim_complete_until(sim_newest_number());
    sim_async_waited_for_all();
    sim_unlock_queue();
    return after_waiting();
}

/* What a wait for the stream waits for next; NULL: nothing. */
static struct sim_item *unfinished(const struct sim_stream *stream) {
    struct sim_item *found = stream->tail && stream->tail->state != SIM_ENDED ? stream->tail : NULL;
    if (stream == &sim_legacy_stream) {
        for (const struct sim_stream *s = sim_first_stream(); s; s = s->next) {
            if (s->blocking && s->tail && s->tail->state != SIM_ENDED &&
                (!found || s->tail->number > found->number)) {
                found = s->tail;
            }
        }
    }
    return found;
}

/* The host knows that all of a stream, whose work has ended, is done. */
static void note_waited(const struct sim_stream *stream) {
    sim_async_waited(stream->tail ? stream->tail->async : NULL);
    for (const struct sim_stream *s = stream == &sim_legacy_stream ? sim_first_stream() : NULL; s;
         s = s->next) {
        sim_async_waited(s->blocking && s->tail ? s->tail->async : NULL);
    }
}

cudaError_t sim_wait_stream(cudaStream_t handle) {
    struct sim_capture *capture = sim_capture_of(handle);
    if (capture) {
        return capture->refuse(capture);
    }
    sim_lock_queue();
    const struct sim_stream *stream = sim_stream_of(handle);
    const uint64_t last = sim_newest_number();
    bool known = stream != NULL;
    for (struct sim_item *item; stream && (item = unfinished(stream)) && item->number <= last;
         stream = sim_stream_of(handle)) { /* another thread may destroy it meanwhile */
        item->references++;
        sim_complete(item);
        sim_drop_item(item);
    }
    if (stream) {
        note_waited(stream);
    }
    sim_unlock_queue();
    return known ? after_waiting() : sim_fail(cudaErrorInvalidResourceHandle);
}

bool sim_any_unfinished(void) {
    sim_lock_queue();
    const bool any = sim_oldest_item() != NULL;
    sim_unlock_queue();
    return any;
}

bool sim_stream_unfinished(cudaStream_t handle) {
    if (sim_capture_of(handle)) {
        return true;
    }
    sim_lock_queue();
    const struct sim_stream *stream = sim_stream_of(handle);
    const bool waits = !stream || unfinished(stream);
    sim_unlock_queue();
    return waits;
}

bool sim_item_unfinished(const struct sim_item *item) {
    sim_lock_queue();
    const bool waits = item->state != SIM_ENDED;
    sim_unlock_queue();
    return waits;
}

/* Has it ended? If not, takes one step towards it; records and waits on the way take no time. */
static cudaError_t query(struct sim_item *item) {
    if (!item) {
        return cudaSuccess;
    }
    bool works = false;
    item->references++;
    while (item->state != SIM_ENDED && !works) {
        works = sim_advance(item);
    }
    sim_drop_item(item);
    return works ? cudaErrorNotReady : cudaSuccess;
}

static cudaError_t after_query(cudaError_t answer) {
    return sim_sticky() == cudaSuccess ? answer : sim_fail(sim_sticky());
}

cudaError_t sim_query_stream(cudaStream_t handle) {
    struct sim_capture *capture = sim_capture_of(handle);
    if (capture) {
        return capture->refuse(capture);
    }
    sim_lock_queue();
    const struct sim_stream *stream = sim_stream_of(handle);
    cudaError_t answer = stream ? query(unfinished(stream)) : cudaErrorInvalidResourceHandle;
    if (answer == cudaSuccess) {
        note_waited(stream);
    }
    sim_unlock_queue();
    return stream ? after_query(answer) : sim_fail(answer);
}

cudaError_t sim_query_item(struct sim_item *item) {
    sim_lock_queue();
    cudaError_t answer = query(item);
    if (answer == cudaSuccess) {
        sim_async_waited(item->async);
    }
    sim_unlock_queue();
    return after_query(answer);
}

bool sim_item_time(struct sim_item *item, struct timespec *time) {
    sim_lock_queue();
    bool ended = item->state == SIM_ENDED;
    if (ended) {
        *time = item->ended;
        sim_async_waited(item->async); /* the host knows now that it has happened */
    }
    sim_unlock_queue();
    return ended;
}

void sim_hold_item(struct sim_item *item) {
    sim_lock_queue();
    item->references++;
    sim_unlock_queue();
}

void sim_release_item(struct sim_item *item) {
    sim_lock_queue();
    sim_drop_item(item);
    sim_unlock_queue();
}

void sim_let_host_observe(const void *from, size_t bytes) {
    sim_lock_queue();
    sim_start_progress();
    sim_async_shared_memory(from, bytes);
    sim_unlock_queue();
}

void sim_memory_ends(const void *from, size_t bytes, const char *call,
                     struct sim_location location) {
    sim_lock_queue();
    sim_async_memory_ends(from, bytes, call, location);
    sim_unlock_queue();
    sim_wait_all();
}

bool sim_is_stream(cudaStream_t stream) {
    sim_lock_queue();
    const bool known = sim_stream_of(stream) != NULL;
    sim_unlock_queue();
    return known;
}

/* Frees the destroyed streams whose work has ended. Until then the legacy default stream still
 * waits for them. */
static void reap_streams(void) {
    for (struct sim_stream *s = sim_first_stream(), *next; s; s = next) {
        next = s->next;
        if (s->destroyed && (!s->tail || s->tail->state == SIM_ENDED)) {
            struct sim_item *tail = s->tail;
            sim_async_stream_ends(tail && s->blocking ? tail->async : NULL);
            sim_remove_stream(s);
            sim_drop_item(tail);
        }
    }
}

bool sim_destroy_stream(cudaStream_t handle) {
    sim_lock_queue();
    struct sim_stream *stream = sim_stream_of(handle);
    bool known = stream && stream->created;
    if (known) {
        stream->created = false;
        stream->destroyed = true;
        reap_streams();
    }
    sim_unlock_queue();
    return known;
}

void sim_forget_streams(void) {
    sim_lock_queue();
    for (struct sim_stream *s = sim_first_stream(); s; s = s->next) {
        s->destroyed = s->created || s->destroyed;
        s->created = false;
    }
    reap_streams();
    sim_unlock_queue();
}

/* A kernel that the program has not waited for may have faults, too. Up to the first copy or host
 * function: main()'s variables are gone. */
static void run_pending_kernels(void) {
    const struct sim_item *it = sim_oldest_item();
    uint64_t last = 0;
    while (it && it->operation.kind != SIM_OP_COPY && it->operation.kind != SIM_OP_HOST_CALL) {
        last = it->number;
        it = it->newer;
    }
    sim_complete_until(last);
}

/* Reports the first kernel that has not run, and now never will. */
static void report_kernel_left(void) {
    const struct sim_item *it = sim_oldest_item();
    while (it && (it->operation.kind != SIM_OP_KERNEL || it->state != SIM_PENDING)) {
        it = it->newer;
    }
    if (it) {
        sim_report(&(struct sim_finding){.found = FOUND_NEVER_WAITED,
                                         .kernel = it->operation.name,
                                         .location = it->operation.location});
    }
}

static void report_at_exit(void) {
    if (sim_sticky() != cudaSuccess) {
        return; /* a lost device cannot end anything */
    }
    sim_lock_queue();
    sim_stop_progress();
    sim_async_report_pending();
    if (sim_checked) {
        run_pending_kernels();
    } else if (sim_options.fault_is_error && sim_exchange_last(cudaSuccess) == cudaSuccess) {
        /* Of a grade the caller waits, and an error has ended the program early. */
        report_kernel_left();
    }
    for (const struct sim_stream *s = sim_first_stream(); s; s = s->next) {
        if (s->created) {
            sim_report_leak(FOUND_LEAK_OF_STREAM, s->location);
        }
    }
    sim_unlock_queue();
}
SIM_AT_END(report_at_exit);
