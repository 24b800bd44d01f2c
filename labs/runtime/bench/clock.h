/* Clocks that measure durations. */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Nanoseconds since some fixed moment. Never goes back, even when the time of day is set. */
uint64_t clock_ns(void);

/* Nanoseconds of processor time that all threads of this process have used. Time in which other
 * programs use the core does not count. */
uint64_t clock_process_ns(void);

/* The same for the calling thread alone. */
uint64_t clock_thread_ns(void);

#ifdef __cplusplus
}
#endif
