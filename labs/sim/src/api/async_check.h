/* The checks of asynchrony, in a checked program: what each operation of the queue touches, which
 * operations are ordered, and what the host does while work is pending.
 *
 * Operation A happens before B if a stream, an event or the legacy default stream orders them, or
 * if the host has waited for A before it queued B. Every operation has a clock, which says for each
 * stream up to which of its operations that holds. All host threads count as one: how they order
 * themselves is not known, and so nothing is reported that only they could order.
 *
 * Hold the queue's lock for everything here, and not the device's. */
#ifndef SIM_ASYNC_CHECK_H
#define SIM_ASYNC_CHECK_H

#include "api/operation.h"
#include "api/stream.h"

/* What is remembered of one operation. */
struct sim_async;

/* One is being queued in this stream: NULL if the program is not checked, or out of memory. All
 * functions below accept NULL. */
struct sim_async *sim_async_new(const struct sim_stream *stream,
                                const struct sim_operation *operation);
void sim_async_release(struct sim_async *async);

/* `earlier` happens before `async`. */
void sim_async_join(struct sim_async *async, const struct sim_async *earlier);

/* A stream whose newest operation this is was forgotten: the legacy stream stays ordered with it. */
void sim_async_stream_ends(const struct sim_async *newest);
void sim_async_join_ended(struct sim_async *async);

/* All that it depends on is joined: remembers the memory of the host that it is going to read. */
void sim_async_remember_source(struct sim_async *async);

/* The operation is about to run, and has run. False: its memory is gone, it must not run. */
bool sim_async_begin(struct sim_async *async);
void sim_async_end(struct sim_async *async);

/* What has to receive the accesses of its kernel: for sim_footprint. NULL: they do not matter. */
struct footprint *sim_async_footprint(struct sim_async *async);

/* The host has waited for the operation, or for everything. */
void sim_async_waited(const struct sim_async *async);
void sim_async_waited_for_all(void);

/* The host can access these bytes, and so can the device. */
void sim_async_shared_memory(const void *from, size_t bytes);

/* `call` is about to end memory that the host and the device share: reports the work that still
 * uses it. */
void sim_async_memory_ends(const void *from, size_t bytes, const char *call,
                           struct sim_location location);

/* At the end of the program: reports the work that nothing has waited for. */
void sim_async_report_pending(void);

#endif
