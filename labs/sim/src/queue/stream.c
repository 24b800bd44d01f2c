#include "queue/stream.h"

#include <stdlib.h>

struct sim_stream sim_legacy_stream = {.blocking = true};

static struct sim_stream *streams;
static unsigned created, lanes;
static _Thread_local struct sim_stream *of_thread; /* its default stream, made when first used */

static struct sim_stream *add(bool blocking, struct sim_location location) {
    struct sim_stream *s = calloc(1, sizeof *s);
    if (s) {
        s->lane = ++lanes;
        s->blocking = blocking;
        s->location = location;
        s->next = streams;
        streams = s;
    }
    return s;
}

struct sim_stream *sim_stream_of(cudaStream_t handle) {
    if (!handle || handle == cudaStreamLegacy) {
        return &sim_legacy_stream;
    }
    if (handle == cudaStreamPerThread) {
        if (!of_thread) {
            of_thread = add(true, (struct sim_location){NULL, 0});
        }
        return of_thread;
    }
    struct sim_stream *s = streams;
    while (s && (s != handle || !s->created)) {
        s = s->next;
    }
    return s;
}

struct sim_stream *sim_first_stream(void) {
    return streams;
}

struct sim_stream *sim_new_stream(unsigned flags, int priority, struct sim_location location) {
    struct sim_stream *s = add(!(flags & cudaStreamNonBlocking), location);
    if (s) {
        s->number = ++created;
        s->created = true;
        s->priority = priority;
    }
    return s;
}

unsigned sim_streams_created(void) {
    return created;
}

void sim_remove_stream(struct sim_stream *stream) {
    struct sim_stream **at = &streams;
    while (*at != stream) {
        at = &(*at)->next;
    }
    *at = stream->next;
    free(stream);
}
