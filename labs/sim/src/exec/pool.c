#include "exec/pool.h"

#include "base/device.h"
#include "base/options.h"
#include "exec/fiber.h"
#include "exec/hooks.h"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t begun = PTHREAD_COND_INITIALIZER, ended = PTHREAD_COND_INITIALIZER;
static unsigned helpers, busy, round_number;
static pid_t owner; /* a forked child has no helpers: threads do not survive fork() */

static struct {
    bool (*work)(void *, uint64_t);
    bool (*finish)(void *, bool);
    void *context;
    uint64_t count, next, chunk;
    bool failed;
} job;

static unsigned wanted_threads(void) {
    if (sim_hooks) {
        return 1; /* the counters and the checks follow one block at a time */
    }
    cpu_set_t cores;
    int n = sim_options.threads;
    if (n < 1 && sched_getaffinity(0, sizeof cores, &cores) == 0) {
        n = CPU_COUNT(&cores);
    }
    const int most = (int)(fiber_most() / SIM_MAX_THREADS);
    n = n < most ? n : most;
    return n < 1 ? 1 : (unsigned)n;
}

static void do_chunks(void) {
    for (;;) {
        uint64_t first = __atomic_fetch_add(&job.next, job.chunk, __ATOMIC_RELAXED);
        uint64_t last = first + job.chunk < job.count ? first + job.chunk : job.count;
        for (uint64_t i = first; i < last; i++) {
            if (__atomic_load_n(&job.failed, __ATOMIC_RELAXED)) {
                return;
            }
            if (!job.work(job.context, i)) {
                __atomic_store_n(&job.failed, true, __ATOMIC_RELAXED);
                return;
            }
        }
        if (first >= job.count) {
            return;
        }
    }
}

static void take_part(void) {
    do_chunks();
    if (!job.finish(job.context, !__atomic_load_n(&job.failed, __ATOMIC_RELAXED))) {
        __atomic_store_n(&job.failed, true, __ATOMIC_RELAXED);
    }
}

static void *helper(void *argument) {
    unsigned last_round = (unsigned)(uintptr_t)argument;
    pthread_mutex_lock(&lock);
    for (;;) {
        while (round_number == last_round) {
            pthread_cond_wait(&begun, &lock);
        }
        last_round = round_number;
        pthread_mutex_unlock(&lock);
        take_part();
        pthread_mutex_lock(&lock);
        if (--busy == 0) {
            pthread_cond_signal(&ended);
        }
    }
    return NULL;
}

static void start_helpers(unsigned count) {
    if (owner != getpid()) {
        owner = getpid();
        helpers = busy = 0;
        pthread_mutex_init(&lock, NULL);
        pthread_cond_init(&begun, NULL);
        pthread_cond_init(&ended, NULL);
    }
    while (helpers < count) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, helper, (void *)(uintptr_t)round_number) != 0) {
            return; /* the threads that exist share the work */
        }
        pthread_detach(thread);
        helpers++;
    }
}

bool sim_pool_run(uint64_t count, bool (*work)(void *, uint64_t), bool (*finish)(void *, bool),
                  void *context, bool alone) {
    unsigned threads = alone ? 1 : wanted_threads();
    if (threads > count) {
        threads = (unsigned)count;
    }
    start_helpers(threads - 1);
    job.work = work;
    job.finish = finish;
    job.context = context;
    job.count = count;
    job.next = 0;
    job.chunk = count / (threads * 8u) + 1;
    job.failed = false;
    if (threads > 1 && helpers > 0) {
        pthread_mutex_lock(&lock);
        busy = helpers;
        round_number++;
        pthread_cond_broadcast(&begun);
        pthread_mutex_unlock(&lock);
    }
    take_part();
    pthread_mutex_lock(&lock);
    while (busy > 0) {
        pthread_cond_wait(&ended, &lock);
    }
    pthread_mutex_unlock(&lock);
    return !job.failed;
}
