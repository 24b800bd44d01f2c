/* Captures: what a program queues in streams becomes a graph. A stream takes part from the call
 * that begins the capture, or from when it waits for an event of a stream that takes part. */
#include "api/api.h"
#include "api/event.h"
#include "graph/graph.h"
#include "queue/lock.h"
#include "queue/queue.h"
#include "queue/stream.h"

#include <stdlib.h>

/* The last nodes of a stream, or those before an event: the next node depends on them. */
struct front {
    const void *of; /* a stream or an event */
    bool is_event;
    struct sim_graph_node **nodes;
    unsigned count;
    struct front *next;
};

struct capture {
    struct sim_capture capture; /* first: the queue knows only this one */
    struct sim_graph *graph;
    cudaStream_t origin;
    unsigned long long id;
    bool invalidated;
    struct front *fronts;
    struct capture *next;
};

static struct capture *captures; /* that have not ended; the stream of one may be destroyed */
static unsigned long long ids;
static _Thread_local enum cudaStreamCaptureMode thread_mode;

static struct front *find(const struct capture *c, const void *of, bool is_event) {
    struct front *f = c->fronts;
    while (f && (f->of != of || f->is_event != is_event)) {
        f = f->next;
    }
    return f;
}

/* The front, created if it is new; NULL: out of memory. */
static struct front *front_of(struct capture *c, const void *of, bool is_event) {
    struct front *f = find(c, of, is_event);
    if (!f && (f = calloc(1, sizeof *f))) {
        f->of = of;
        f->is_event = is_event;
        f->next = c->fronts;
        c->fronts = f;
    }
    return f;
}

static bool add_to_front(struct front *f, struct sim_graph_node *node) {
    for (unsigned i = 0; i < f->count; i++) {
        if (f->nodes[i] == node) {
            return true;
        }
    }
    void *more = realloc(f->nodes, (f->count + 1) * sizeof(void *));
    if (!more) {
        return false;
    }
    f->nodes = more;
    f->nodes[f->count++] = node;
    return true;
}

static cudaError_t invalidate(struct capture *c, cudaError_t error) {
    c->invalidated = true;
    return sim_fail(error);
}

static enum cudaGraphNodeType type_of(const struct sim_operation *o) {
    switch (o->kind) {
    case SIM_OP_KERNEL:
        return cudaGraphNodeTypeKernel;
    case SIM_OP_COPY:
        return cudaGraphNodeTypeMemcpy;
    case SIM_OP_FILL:
        return cudaGraphNodeTypeMemset;
    case SIM_OP_HOST_CALL:
        return cudaGraphNodeTypeHost;
    case SIM_OP_ALLOCATE:
        return cudaGraphNodeTypeMemAlloc;
    case SIM_OP_FREE:
        return cudaGraphNodeTypeMemFree;
    default:
        return cudaGraphNodeTypeEmpty;
    }
}

static cudaError_t take(struct sim_capture *capture, cudaStream_t stream,
                        const struct sim_operation *operation) {
    struct capture *c = (struct capture *)capture;
    SIM_FAIL_IF(c->invalidated, cudaErrorStreamCaptureInvalidated);
    if (operation->kind == SIM_OP_WAIT) { /* for an event of before the capture */
        return invalidate(c, cudaErrorStreamCaptureIsolation);
    }
    sim_lock_graphs();
    if (operation->kind == SIM_OP_FREE &&
        !sim_may_free(c->graph, operation->ranges[0].from, operation->location)) {
        sim_unlock_graphs();
        return sim_fail(cudaErrorInvalidValue);
    }
    struct front *f = front_of(c, stream, false);
    struct sim_graph_node *node =
        f ? sim_add_node(c->graph, type_of(operation), f->nodes, f->count) : NULL;
    if (node) {
        node->steps = sim_new_step(operation);
        f->count = 0;
    }
    bool whole = node && node->steps && add_to_front(f, node);
    sim_unlock_graphs();
    return whole ? cudaSuccess : invalidate(c, cudaErrorMemoryAllocation);
}

/* Adds the nodes of one front to another. */
static cudaError_t join(struct capture *c, const void *from, bool from_event, const void *to,
                        bool to_event, bool replaces) {
    sim_lock_graphs();
    const struct front *source = find(c, from, from_event);
    struct front *target = front_of(c, to, to_event);
    bool whole = target != NULL;
    if (target && replaces) {
        target->count = 0;
    }
    for (unsigned i = 0; whole && source && i < source->count; i++) {
        whole = add_to_front(target, source->nodes[i]);
    }
    sim_unlock_graphs();
    return whole ? cudaSuccess : invalidate(c, cudaErrorMemoryAllocation);
}

static cudaError_t record(struct sim_capture *capture, cudaStream_t stream, cudaEvent_t event) {
    struct capture *c = (struct capture *)capture;
    return c->invalidated ? sim_fail(cudaErrorStreamCaptureInvalidated)
                          : join(c, stream, false, event, true, true);
}

static cudaError_t wait(struct sim_capture *capture, cudaStream_t handle, cudaEvent_t event) {
    struct capture *c = (struct capture *)capture;
    SIM_FAIL_IF(c->invalidated, cudaErrorStreamCaptureInvalidated);
    sim_lock_queue();
    struct sim_stream *stream = sim_stream_of(handle);
    bool legacy = stream == &sim_legacy_stream;
    bool other = stream->capture && stream->capture != capture;
    if (!legacy && !other) {
        stream->capture = capture;
    }
    sim_unlock_queue();
    if (legacy || other) {
        return invalidate(c, legacy ? cudaErrorStreamCaptureImplicit : cudaErrorStreamCaptureMerge);
    }
    return join(c, event, true, handle, false, false);
}

static cudaError_t refuse(struct sim_capture *capture) {
    return invalidate((struct capture *)capture, cudaErrorStreamCaptureUnsupported);
}

cudaError_t cudaStreamBeginCapture(cudaStream_t handle, enum cudaStreamCaptureMode mode) {
    SIM_BEGIN(cudaErrorInvalidValue);
    SIM_FAIL_IF((unsigned)mode > cudaStreamCaptureModeRelaxed, cudaErrorInvalidValue);
    struct capture *c = calloc(1, sizeof *c);
    SIM_FAIL_IF(!c, cudaErrorMemoryAllocation);
    sim_lock_graphs();
    *c = (struct capture){.capture = {take, record, wait, refuse},
                          .graph = sim_new_graph(),
                          .origin = handle,
                          .id = ++ids};
    sim_unlock_graphs();
    sim_lock_queue();
    struct sim_stream *stream = sim_stream_of(handle);
    cudaError_t error = !stream                        ? cudaErrorInvalidResourceHandle
                        : stream == &sim_legacy_stream ? cudaErrorStreamCaptureUnsupported
                        : stream->capture              ? cudaErrorIllegalState
                        : c->graph                     ? cudaSuccess
                                                       : cudaErrorMemoryAllocation;
    if (error == cudaSuccess) {
        stream->capture = &c->capture;
    }
    sim_unlock_queue();
    if (error != cudaSuccess) {
        sim_lock_graphs();
        if (c->graph) {
            sim_free_graph(c->graph);
        }
        sim_unlock_graphs();
        free(c);
        return sim_fail(error);
    }
    sim_lock_graphs();
    c->next = captures;
    captures = c;
    sim_unlock_graphs();
    return cudaSuccess;
}

/* Is every node before the last nodes of the origin? */
static bool is_joined(const struct capture *c) {
    const struct front *origin = find(c, c->origin, false);
    for (const struct front *f = c->fronts; f; f = f->next) {
        for (unsigned i = 0; !f->is_event && i < f->count; i++) {
            bool before = false;
            for (unsigned k = 0; origin && k < origin->count && !before; k++) {
                before = origin->nodes[k] == f->nodes[i] ||
                         sim_depends_on(origin->nodes[k], f->nodes[i]);
            }
            if (!before) {
                return false;
            }
        }
    }
    return true;
}

/* No stream and no event takes part any more. */
static void detach(struct capture *c) {
    sim_lock_queue();
    for (struct sim_stream *s = sim_first_stream(); s; s = s->next) {
        s->capture = s->capture == &c->capture ? NULL : s->capture;
    }
    sim_unlock_queue();
    sim_end_event_capture(&c->capture);
    sim_lock_graphs();
    struct capture **link = &captures;
    while (*link != c) {
        link = &(*link)->next;
    }
    *link = c->next;
    sim_unlock_graphs();
    for (struct front *f = c->fronts, *next; f; f = next) {
        next = f->next;
        free(f->nodes);
        free(f);
    }
    free(c);
}

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t *graph) {
    SIM_BEGIN(cudaErrorInvalidValue);
    struct capture *c = (struct capture *)sim_capture_of(handle);
    SIM_FAIL_IF(!graph || !c,
                !c && sim_is_stream(handle) ? cudaErrorIllegalState : cudaErrorInvalidValue);
    *graph = NULL;
    if (c->origin != handle) {
        return invalidate(c, cudaErrorStreamCaptureUnmatched);
    }
    sim_lock_graphs();
    cudaError_t error = c->invalidated ? cudaErrorStreamCaptureInvalidated
                        : is_joined(c) ? cudaSuccess
                                       : cudaErrorStreamCaptureUnjoined;
    if (error == cudaSuccess) {
        *graph = c->graph;
        sim_give_graph(c->graph, location);
    } else {
        sim_free_graph(c->graph);
    }
    sim_unlock_graphs();
    detach(c);
    return sim_answer(error);
}

static enum cudaStreamCaptureStatus status_of(const struct capture *c) {
    return !c               ? cudaStreamCaptureStatusNone
           : c->invalidated ? cudaStreamCaptureStatusInvalidated
                            : cudaStreamCaptureStatusActive;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t handle, enum cudaStreamCaptureStatus *status) {
    SIM_BEGIN(cudaErrorInvalidValue);
    SIM_FAIL_IF(!status || !sim_is_stream(handle),
                status ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue);
    *status = status_of((struct capture *)sim_capture_of(handle));
    return cudaSuccess;
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t handle, enum cudaStreamCaptureStatus *status,
                                     unsigned long long *id, cudaGraph_t *graph,
                                     const cudaGraphNode_t **dependencies,
                                     const cudaGraphEdgeData **edges, size_t *count) {
    SIM_BEGIN(cudaErrorInvalidValue);
    SIM_FAIL_IF(!status || !sim_is_stream(handle),
                status ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue);
    const struct capture *c = (struct capture *)sim_capture_of(handle);
    *status = status_of(c);
    if (*status != cudaStreamCaptureStatusActive) {
        return cudaSuccess;
    }
    const struct front *f = find(c, handle, false);
    if (id) {
        *id = c->id;
    }
    if (graph) {
        *graph = c->graph;
    }
    if (dependencies) {
        *dependencies = f ? f->nodes : NULL;
    }
    if (edges) {
        *edges = NULL; /* every edge is a plain one */
    }
    if (count) {
        *count = f ? f->count : 0;
    }
    return cudaSuccess;
}

/* Only stored: the simulator restricts no other call while a stream is captured. */
cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode) {
    SIM_BEGIN(cudaErrorInvalidValue);
    SIM_FAIL_IF(!mode || (unsigned)*mode > cudaStreamCaptureModeRelaxed, cudaErrorInvalidValue);
    enum cudaStreamCaptureMode before = thread_mode;
    thread_mode = *mode;
    *mode = before;
    return cudaSuccess;
}
