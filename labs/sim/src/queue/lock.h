/* The lock of the queue, of its items and of the streams. Whoever needs the device's lock as well
 * takes this one first. */
#pragma once

#include <pthread.h>

extern pthread_mutex_t sim_queue_mutex;

void sim_lock_queue(void);
void sim_unlock_queue(void);
