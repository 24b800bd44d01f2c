/* Time for measuring durations. */
#ifndef CONVLABS_CLOCK_H
#define CONVLABS_CLOCK_H

#include <stdint.h>

/* Nanoseconds since some fixed moment; never goes back, whatever happens to the wall clock. */
uint64_t clock_ns(void);

#endif
