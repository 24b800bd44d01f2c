/* queue/: the queue of the device: operations that a program has queued in streams and that run
 * when something waits for them, and the checks of how a program orders them. This header: what
 * the API does with the queue.
 *
 * An operation may run once the operations that it depends on have ended: the one before it in its
 * stream, what the rules of the legacy default stream add, and the event that its stream waits for.
 * Nothing else orders operations. By default they run as late as possible, and of those that could
 * run first the newest does; with CONVLABS_SIM_SEED, and in a checked program, a seeded random
 * choice decides. So a program that forgets to wait does not pass by luck, and results repeat.
 *
 * Every function may be called by several host threads at once. Never hold the device's lock when
 * you call one: operations take it when they run. */
#pragma once

#include "queue/operation.h"

#include <time.h>

/* An operation in the queue. Whoever is given one owns a reference. */
struct sim_item;

/* Queues an operation: cudaSuccess, cudaErrorInvalidResourceHandle (no such stream) or
 * cudaErrorMemoryAllocation; an error is recorded as the thread's last one. `after` (may be NULL):
 * one more operation that it depends on. *item (may be NULL): the queued one, with a reference;
 * NULL if a capture took the operation. */
cudaError_t sim_enqueue(cudaStream_t stream, const struct sim_operation *operation);
cudaError_t sim_enqueue_after(cudaStream_t stream, const struct sim_operation *operation,
                              struct sim_item *after, struct sim_item **item);

/* The capture that receives what is queued in the stream, or NULL. */
struct sim_capture *sim_capture_of(cudaStream_t stream);

/* Queues it and runs it and what it depends on before it returns. */
cudaError_t sim_enqueue_and_wait(cudaStream_t stream, const struct sim_operation *operation);

/* Each of these runs what it waits for, and returns the sticky error if there is one then. */
cudaError_t sim_wait_all(void);                   /* what was queued before the call */
cudaError_t sim_wait_stream(cudaStream_t stream); /* cudaErrorInvalidResourceHandle: no stream */
cudaError_t sim_wait_item(struct sim_item *item);

/* Must a wait for them wait? Runs nothing. True where the wait is refused: a capture, no stream. */
bool sim_any_unfinished(void);
bool sim_stream_unfinished(cudaStream_t stream);
bool sim_item_unfinished(const struct sim_item *item);

/* Have they ended? If not, runs one operation on the way there, so that a loop of queries ends, and
 * returns cudaErrorNotReady (which is no thread's last error). */
cudaError_t sim_query_stream(cudaStream_t stream);
cudaError_t sim_query_item(struct sim_item *item);

/* When it ended, on CLOCK_MONOTONIC; for SIM_OP_RECORD only. False: it has not. */
bool sim_item_time(struct sim_item *item, struct timespec *time);

/* Is it the default stream, or a stream that exists? */
bool sim_is_stream(cudaStream_t stream);

/* Ends the handle; what is queued in the stream still runs. False: there is no such stream. */
bool sim_destroy_stream(cudaStream_t stream);

/* Ends every handle: cudaDeviceReset(). */
void sim_forget_streams(void);

void sim_hold_item(struct sim_item *item);
void sim_release_item(struct sim_item *item); /* NULL does nothing */

/* The host can access these bytes, and so can the device (page-locked or managed memory). From now
 * on, work that nothing waits for runs a little later, since the host can see what it does; and the
 * checks watch what the host does to the bytes while work is pending. */
void sim_let_host_observe(const void *from, size_t bytes);

/* `call` is about to end such memory: reports the pending work that uses it, then waits for all
 * work, as a device does. */
void sim_memory_ends(const void *from, size_t bytes, const char *call,
                     struct sim_location location);
