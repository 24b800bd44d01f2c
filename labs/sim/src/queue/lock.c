#include "queue/lock.h"

pthread_mutex_t sim_queue_mutex = PTHREAD_MUTEX_INITIALIZER;

void sim_lock_queue(void) {
    pthread_mutex_lock(&sim_queue_mutex);
}

void sim_unlock_queue(void) {
    pthread_mutex_unlock(&sim_queue_mutex);
}
