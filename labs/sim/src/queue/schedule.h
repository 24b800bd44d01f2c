/* Which operation runs next, and running it. Hold the queue's lock for everything here; it is
 * released while an operation runs. */
#pragma once

#include "queue/item.h"

/* Adds an item whose dependencies are set, and runs the oldest ones if there are too many. */
void sim_schedule(struct sim_item *item);

/* Runs what `item` waits for, and the item. The caller holds a reference. */
void sim_complete(struct sim_item *item);

/* Runs one operation on the way to `item`, unless another thread is running it. Was it work, and
 * not only a record or a wait? */
bool sim_advance(struct sim_item *item);

/* Runs everything up to this number. */
void sim_complete_until(uint64_t number);

/* In a forked child, which has none of the other threads. If one of them was running something, the
 * device is lost to the child, as each device is to a child of a program that uses it. */
void sim_forget_threads(void);

/* The number of the newest item so far. */
uint64_t sim_newest_number(void);

/* The oldest item that has not ended, or NULL. */
struct sim_item *sim_oldest_item(void);
