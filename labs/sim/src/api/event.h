/* Events, for the files that order work by them. */
#pragma once

#include "queue/queue.h"

/* The operation that the event was last recorded as, with a reference; NULL: never recorded. False:
 * there is no such event. */
bool sim_event_record(cudaEvent_t event, struct sim_item **record);

/* The capture in whose stream it was last recorded, or NULL. */
struct sim_capture *sim_event_capture(cudaEvent_t event);
void sim_end_event_capture(const struct sim_capture *capture);

/* The number of events that exist. */
unsigned sim_events(void);

/* Destroys every event: cudaDeviceReset() has ended them. */
void sim_forget_events(void);
