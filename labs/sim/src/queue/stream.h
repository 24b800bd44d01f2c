/* The streams that exist. A stream is known by its newest operation in the queue (queue.h); the
 * default streams exist from the start. */
#pragma once

#include "base/findings.h"

struct sim_item; /* queue.h */

/* The definition of cudaStream_t. The queue's lock guards `tail`. */
struct sim_stream {
    unsigned number;              /* created streams count from 1; 0: a default stream */
    unsigned lane;                /* tells streams apart in clock.h; 0: the legacy default stream */
    bool blocking;                /* orders itself with the legacy default stream */
    bool created;                 /* by the program, which has to destroy it */
    bool destroyed;               /* but its last operation may be pending */
    int priority;                 /* as asked for, clamped to the device's range */
    struct sim_item *tail;        /* the last operation queued in it, or NULL; holds a reference */
    struct sim_location location; /* of its creation */
    /* Set by a capture (a graph): an operation goes there and not into the queue. */
    struct sim_capture *capture;
    struct sim_stream *next;
};

/* The legacy default stream: it waits for every blocking stream and they for it. */
extern struct sim_stream sim_legacy_stream;

/* Hold the queue's lock for what follows. */

/* The stream of a handle: NULL if there is none. NULL and cudaStreamLegacy name the legacy default
 * stream, cudaStreamPerThread that of the calling host thread. */
struct sim_stream *sim_stream_of(cudaStream_t handle);

/* Every stream but the legacy one, the newest first. */
struct sim_stream *sim_first_stream(void);

/* A new stream, or NULL when out of memory. */
struct sim_stream *sim_new_stream(unsigned flags, int priority, struct sim_location location);

/* How many streams sim_new_stream() has made: the number of the newest one. */
unsigned sim_streams_created(void);

/* Takes it from the list and frees it; its `tail` must have been released. */
void sim_remove_stream(struct sim_stream *stream);
