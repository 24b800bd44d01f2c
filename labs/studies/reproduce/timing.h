/* What the programs of this folder share: repeated runs, and figures as lines of JSON on stdout.
 *
 *   {"row":"openmp","seconds":[0.0021,0.0019]}      the time of each run
 *   {"row":"openmp","value":0}                      another figure
 */
#ifndef CONVLABS_REPRODUCE_TIMING_H
#define CONVLABS_REPRODUCE_TIMING_H

#include <stddef.h>

#define TIMING_MAX_RUNS 1000

/* Of one row: at most `runs` runs, and none begins more than `seconds` after the first. 0 runs: the
 * row is not timed at all (on the simulator, whose time says nothing about a GPU). */
struct limit {
    int runs;
    double seconds;
};

/* The limit in two arguments of the command line; ends the process with a message when they are no
 * such numbers. */
struct limit timing_limit(const char *runs, const char *seconds);

/* Seconds since some fixed moment. */
double timing_now(void);

/* Times `work(context)` and prints the row. One run comes first and is not counted, so that pages
 * are there and caches warm, unless it alone takes as long as the limit: then it is the row. */
void timing_cpu(const char *row, struct limit limit, void (*work)(void *), void *context);

void timing_print(const char *row, const double *seconds, int count);
void timing_value(const char *row, double value);

/* Memory aligned to 4096 bytes, for free(); ends the process with a message when there is none. */
void *timing_alloc(size_t bytes);

/* The same bytes on every machine, no two neighbours alike in any way that matters. */
void timing_noise(unsigned char *bytes, size_t count);

/* Ends the process with status 1 and this message. */
_Noreturn void timing_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
