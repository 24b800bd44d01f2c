/* What host code does to memory that it shares with the device while work is pending, in a checked
 * program. Hold the queue's lock, and not the device's. */
#pragma once

#include "queue/clock.h"

/* The host can access these bytes, and so can the device. */
void sim_async_shared_memory(const void *from, size_t bytes);
bool sim_async_shares_memory(void);

/* `call` is about to end such memory: reports the work that still uses it. */
void sim_async_memory_ends(const void *from, size_t bytes, const char *call,
                           struct sim_location location);

/* All that the operation depends on is joined: remembers the bytes that it is going to read. */
void sim_async_remember_source(struct sim_async *a);

/* It is about to run: has the host changed those bytes, or is its memory gone? False: it must not
 * run. */
bool sim_async_check_memory(const struct sim_async *a);

/* It has run: compares what it accessed with what the host did meanwhile. */
void sim_async_compare_with_host(struct sim_async *a);

/* The operation is a host call, which this thread is about to run or (NULL) has run: what it
 * accesses is the operation's. */
void sim_async_host_call(struct sim_async *a);
