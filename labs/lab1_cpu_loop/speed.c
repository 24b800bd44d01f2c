/* What is timed in lab 1: all parts, each by one call. */
#include "bench/bench.h"
#include "lab.h"

#include <string.h>

typedef void correlate(const float *image, int width, int height, const float *mask, int radius,
                       enum border border, float *out);

static const struct {
    const char *part;
    const char *names[BENCH_FUNCTIONS];
} parts[] = {
    {"A", {"correlate_loops", NULL}},
    {"B", {"correlate_rows", NULL}},
    {"C", {"correlate_openmp", NULL}},
};

const char *const *lab_functions(const struct bench_job *job, bool baseline) {
    static const char *const slow[BENCH_FUNCTIONS] = {"baseline_correlate", NULL};
    static const char *const none[BENCH_FUNCTIONS] = {NULL, NULL};
    if (baseline) {
        return slow;
    }
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (strcmp(parts[i].part, job->part) == 0) {
            return parts[i].names;
        }
    }
    return none;
}

int lab_prepare(const struct bench_side *side, const struct bench_job *job) {
    (void)side, (void)job;
    return 0;
}

int lab_call(const struct bench_side *side, const struct bench_job *job, const void *d_image,
             void *d_out) {
    ((correlate *)side->function[0])(d_image, job->width, job->height, job->d_mask, job->radius,
                                     job->border, d_out);
    return 0;
}
