#include "api/kernel_progress.h"

#include "base/options.h"
#include "base/terminal_line.h"
#include "exec/worker.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define PERIOD_MS 100
#define SILENT_S 2.0 /* since the first launch */

static pid_t owner; /* a forked child has no such thread */
static double first_launch;

/* The launch that runs. */
static struct {
    const char *kernel; /* NULL: none runs */
    uint64_t blocks, before;
} launch;

/* How many blocks the host threads have begun. */
static uint64_t begun(void) {
    uint64_t sum = 0;
    for (const struct worker *w = sim_workers(); w; w = w->older) {
        sum += __atomic_load_n(&w->begun, __ATOMIC_RELAXED);
    }
    return sum;
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Writes 1048576 as 1,048,576. */
static const char *grouped(uint64_t n, char text[32]) {
    char digits[24], *to = text;
    for (int left = snprintf(digits, sizeof digits, "%" PRIu64, n), i = 0; left > 0; left--) {
        *to++ = digits[i++];
        if (left % 3 == 1 && left > 1) {
            *to++ = ',';
        }
    }
    *to = '\0';
    return text;
}

static bool describe(char *text, size_t size) {
    const char *kernel = __atomic_load_n(&launch.kernel, __ATOMIC_SEQ_CST);
    char block[32], blocks[32];
    if (kernel) {
        snprintf(text, size, "kernel %.80s: block %s of %s, %.0f s", kernel,
                 grouped(begun() - launch.before, block), grouped(launch.blocks, blocks),
                 seconds() - first_launch);
    }
    return kernel != NULL;
}

static void *watch(void *argument) {
    for (;;) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000L * PERIOD_MS}, NULL);
        if (seconds() - first_launch >= SILENT_S) {
            sim_line_draw(describe);
        }
    }
    return argument;
}

/* The thread takes no signals of the program. */
static void start(void) {
    sigset_t all, before;
    pthread_t thread;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (pthread_create(&thread, NULL, watch, NULL) == 0) {
        pthread_detach(thread);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void sim_progress_begin(const char *kernel, uint64_t blocks) {
    if (!sim_options.progress) {
        return;
    }
    launch.blocks = blocks;
    launch.before = begun();
    __atomic_store_n(&launch.kernel, kernel, __ATOMIC_SEQ_CST);
    if (owner != getpid()) {
        owner = getpid();
        first_launch = seconds();
        start();
    }
}

void sim_progress_end(void) {
    __atomic_store_n(&launch.kernel, NULL, __ATOMIC_SEQ_CST);
}
