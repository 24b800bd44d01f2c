#include "queue/unawaited_work.h"

#include "queue/lock.h"
#include "queue/schedule.h"

#include <pthread.h>
#include <time.h>
#include <unistd.h>

/* A program that waits soon after it has queued its work never meets the thread. */
#define PATIENCE_MS 200 /* since the newest operation was queued */
#define HOST_CALL_MS 5  /* since a host call was seen: somebody may wait for it */

static pid_t owner; /* a forked child has no such thread */
static bool stopped;

/* The oldest host call that is pending, or NULL. */
static struct sim_item *host_call(void) {
    struct sim_item *item = sim_oldest_item();
    while (item && item->operation.kind != SIM_OP_HOST_CALL) {
        item = item->newer;
    }
    return item;
}

static void *progress(void *argument) {
    uint64_t newest = 0, call = 0; /* at the last sample */
    unsigned quiet = 0;            /* ms in which nothing was queued */
    for (;;) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000L * HOST_CALL_MS}, NULL);
        sim_lock_queue();
        quiet = sim_newest_number() == newest ? quiet + HOST_CALL_MS : 0;
        newest = sim_newest_number();
        struct sim_item *item = host_call();
        if (!stopped && item && item->number == call) {
            item->references++;
            sim_complete(item);
            sim_drop_item(item);
        } else if (!stopped && quiet >= PATIENCE_MS) {
            sim_complete_until(newest);
        }
        item = host_call();
        call = item ? item->number : 0;
        sim_unlock_queue();
    }
    return argument;
}

static void begin_child(void) {
    sim_forget_threads();
    sim_unlock_queue();
}

/* A child must not inherit the lock from this thread. */
static void prepare_forks(void) {
    static bool prepared;
    if (!prepared) {
        prepared = pthread_atfork(sim_lock_queue, sim_unlock_queue, begin_child) == 0;
    }
}

void sim_start_progress(void) {
    pthread_t thread;
    prepare_forks();
    if (owner != getpid() && pthread_create(&thread, NULL, progress, NULL) == 0) {
        pthread_detach(thread);
        owner = getpid();
    }
}

void sim_stop_progress(void) {
    stopped = true;
}
