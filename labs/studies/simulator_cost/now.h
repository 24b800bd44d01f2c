/* The processor time of this process in seconds. */
#ifndef BENCH_NOW_H
#define BENCH_NOW_H

#include <time.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif
