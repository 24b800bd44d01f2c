/* Time for measuring durations. */
#ifndef CONVLABS_CLOCK_H
#define CONVLABS_CLOCK_H

#include <stdint.h>

/* Nanoseconds since some fixed moment; never goes back, whatever happens to the wall clock. */
uint64_t clock_ns(void);

/* Nanoseconds that the processor has worked for this process, all of its threads together. Time in
 * which other programs had the core does not count. */
uint64_t clock_process_ns(void);

/* The same for the calling thread alone. */
uint64_t clock_thread_ns(void);

#endif
