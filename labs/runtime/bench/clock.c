#include "clock.h"

#include <time.h>

static uint64_t read_clock(clockid_t which) {
    struct timespec now;
    clock_gettime(which, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t clock_ns(void) {
    return read_clock(CLOCK_MONOTONIC);
}

uint64_t clock_process_ns(void) {
    return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

uint64_t clock_thread_ns(void) {
    return read_clock(CLOCK_THREAD_CPUTIME_ID);
}
