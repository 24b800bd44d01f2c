/* The order of queued operations, in a checked program.
 *
 * Operation A happens before B if a stream, an event or the legacy default stream orders them, or
 * if the host has waited for A before it queued B. Every operation has a clock, which says for each
 * stream up to which of its operations that holds. All host threads count as one: how they order
 * themselves is not known, and so nothing is reported that only they could order.
 *
 * Hold the queue's lock for everything here, and not the device's. */
#pragma once

#include "memory/footprint.h"
#include "queue/operation.h"
#include "queue/stream.h"

#define SIM_LANES 64 /* of the clocks; streams beyond share a lane, and so count as ordered */

/* What is remembered of one operation. */
struct sim_async {
    unsigned references;
    struct sim_operation operation; /* without its closure */
    unsigned lane;
    uint32_t number, clock[SIM_LANES];
    uint64_t time; /* of the call: counts the operations */
    struct footprint footprint;
    bool ended;
    /* host_access.c: */
    bool has_snapshot, reported, freed; /* is its memory of the host known, reported, gone? */
    uint64_t snapshot;                  /* of what it reads */
    struct sim_async *older, *newer; /* of those that may meet one that they are not ordered with */
    /* What a kernel does before it waits for `primary`, the one that it may overlap, counts as an
     * operation of its own; NULL: it overlaps none. A reference. */
    struct sim_async *early;
    bool is_early;
    struct sim_async *primary; /* of one that is early, until it has ended; a reference */
    bool let_go; /* the kernel that may overlap this one could begin before this one had waited */
};

/* An operation is being queued in this stream: NULL if the program is not checked, or out of
 * memory. The functions below that take one of them accept NULL unless they say otherwise. */
struct sim_async *sim_async_new(const struct sim_stream *stream,
                                const struct sim_operation *operation);
void sim_async_release(struct sim_async *a);

/* `a` may overlap the kernel before it in its stream: to be called before any join. */
void sim_async_overlap(struct sim_async *a, struct sim_async *primary);

/* All of them have ended: what `a` did early comes after what had to end before its primary could
 * let it begin. Not NULL. */
void sim_async_order_early(struct sim_async *a);

/* `earlier` happens before `a`. */
void sim_async_join(struct sim_async *a, const struct sim_async *earlier);

/* A stream whose newest operation this is was forgotten: the legacy stream stays ordered with it.
 */
void sim_async_stream_ends(const struct sim_async *newest);
void sim_async_join_ended(struct sim_async *a);

/* The host has waited for the operation, or for everything. */
void sim_async_waited(const struct sim_async *a);
void sim_async_waited_for_all(void);

/* Has it? Not NULL. */
bool sim_async_is_waited(const struct sim_async *a);

/* Does one of them happen before the other? Not NULL. */
bool sim_async_are_ordered(const struct sim_async *a, const struct sim_async *b);

/* It has ended: it is remembered as long as one that is not ordered with it may come. Not NULL. */
void sim_async_ended(struct sim_async *a);

/* The newest of those that are remembered. */
struct sim_async *sim_async_newest(void);

/* How many operations were queued so far, and how often there was none that the host has not waited
 * for. */
uint64_t sim_async_time(void);
uint64_t sim_async_quiet_moments(void);

/* Was another stream used than the legacy one, or may a kernel overlap another of its stream? */
bool sim_async_any_overlap(void);

/* Was a kernel launched that may overlap another of its stream? */
bool sim_async_any_dependent(void);
