/* What is timed in lab 4, on a GPU: the launches of parts B, C and D. The mask of B and D is in
 * constant memory before. Part A is slow by design, and not timed. */
#include "bench/bench.h"
#include "lab.h"

#include <string.h>

typedef cudaError_t set(const float *h_mask, int radius);
typedef cudaError_t correlate(const float *d_image, int width, int height, int radius,
                              enum border border, float *d_out);
typedef cudaError_t correlate_with(const float *d_image, int width, int height, const float *d_mask,
                                   int radius, enum border border, float *d_out);

const char *const *lab_functions(const struct bench_job *job, bool baseline) {
    static const char *const slow[BENCH_FUNCTIONS] = {"baseline_correlate", "baseline_set_mask"};
    static const char *const tile[BENCH_FUNCTIONS] = {"correlate_tile", "set_mask"};
    static const char *const dynamic[BENCH_FUNCTIONS] = {"correlate_dynamic", NULL};
    static const char *const registers[BENCH_FUNCTIONS] = {"correlate_register", "set_mask"};
    static const char *const none[BENCH_FUNCTIONS] = {NULL, NULL};
    if (baseline) {
        return slow;
    }
    if (strcmp(job->part, "B") == 0) {
        return tile;
    }
    if (strcmp(job->part, "C") == 0) {
        return dynamic;
    }
    return strcmp(job->part, "D") == 0 ? registers : none;
}

int lab_prepare(const struct bench_side *side, const struct bench_job *job) {
    if (side->function[1] == NULL) { /* part C takes its mask with the call */
        return cudaSuccess;
    }
    return (int)((set *)side->function[1])(job->mask, job->radius);
}

int lab_call(const struct bench_side *side, const struct bench_job *job, const void *d_image,
             void *d_out) {
    if (side->function[1] == NULL) {
        return (int)((correlate_with *)side->function[0])(
            d_image, job->width, job->height, job->d_mask, job->radius, job->border, d_out);
    }
    return (int)((correlate *)side->function[0])(d_image, job->width, job->height, job->radius,
                                                 job->border, d_out);
}
