#include "api/progress.h"

#include "api/queue_lock.h"
#include "api/schedule.h"

#include <pthread.h>
#include <time.h>
#include <unistd.h>

/* A program that waits soon after it has queued its work never meets the thread. */
#define PATIENCE_MS 200   /* since the newest operation was queued */
#define HOST_CALL_MS 5    /* the same, if a host call is pending: somebody may wait for it */

static pid_t owner; /* a forked child has no such thread */

static bool host_call_pending(void) {
    const struct sim_item *item = sim_oldest_item();
    while (item && item->operation.kind != SIM_OP_HOST_CALL) {
        item = item->newer;
    }
    return item != NULL;
}

static void *progress(void *argument) {
    uint64_t seen = 0;
    unsigned quiet = 0; /* ms in which nothing was queued */
    for (;;) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000L * HOST_CALL_MS}, NULL);
        sim_lock_queue();
        quiet = sim_newest_number() == seen ? quiet + HOST_CALL_MS : 0;
        seen = sim_newest_number();
        struct sim_item *item = sim_oldest_item();
        if (item && quiet >= (host_call_pending() ? HOST_CALL_MS : PATIENCE_MS)) {
            sim_complete_until(seen);
        }
        sim_unlock_queue();
    }
    return argument;
}

void sim_start_progress(void) {
    pthread_t thread;
    if (owner != getpid() && pthread_create(&thread, NULL, progress, NULL) == 0) {
        pthread_detach(thread);
        owner = getpid();
    }
}
