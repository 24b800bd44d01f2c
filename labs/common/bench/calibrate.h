/* What this processor can do at this moment: the measure for the times of others. */
#ifndef CONVLABS_CALIBRATE_H
#define CONVLABS_CALIBRATE_H

#include <stddef.h>
#include <stdint.h>

/* Multiply-adds of floats that one thread makes in a second when nothing waits for memory: the best
 * of several short measurements. No program that makes them one by one is faster. */
double calibrate_mac_rate(void);

/* Processor time to read `read` bytes and to write `written`, the fastest of several times: what
 * both have is copied, the rest only read, or filled. They do not overlap. */
uint64_t calibrate_copy_ns(void *to, size_t written, const void *from, size_t read);

/* One run of the calibration kernel: the same work on each thread of OpenMP's team. */
struct calibration {
    uint64_t wall_ns; /* from the first thread's start to the last one's end */
    uint64_t busy_ns; /* processor time of the thread that needed most of it */
};

/* Undisturbed, wall_ns is hardly above busy_ns: every thread has a core to itself. `threads` is 1
 * or more. */
struct calibration calibrate_threads(int threads);

#endif
