/* What this processor can do now: the scale for the times that are measured. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Float multiply-adds per second of one thread that never waits for memory: the best of several
 * short measurements. No program with one thread does more. */
double calibrate_mac_rate(void);

/* Nanoseconds of processor time to read `read` bytes and write `written` bytes, once. As many bytes
 * as both have are copied; the rest is only read, or only written. The buffers do not overlap. */
uint64_t calibrate_one_copy_ns(void *to, size_t written, const void *from, size_t read);

/* The least of several such measurements. */
uint64_t calibrate_copy_ns(void *to, size_t written, const void *from, size_t read);

/* One run of the calibration kernel: every thread of an OpenMP team does the same work. */
struct calibration {
    uint64_t wall_ns; /* from the first thread's start to the last one's end */
    uint64_t busy_ns; /* processor time of the thread that used most */
};

/* On an idle machine wall_ns is hardly above busy_ns: every thread has a core to itself. `threads`
 * is 1 or more. */
struct calibration calibrate_threads(int threads);
