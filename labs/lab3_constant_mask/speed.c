/* What is timed in lab 3, on a GPU: the launches. The mask is in constant memory before. */
#include "bench/bench.h"
#include "lab.h"

#include <string.h>

typedef cudaError_t set(const float *h_mask, int radius);
typedef cudaError_t correlate(const float *d_image, int width, int height, int radius,
                              enum border border, float *d_out);
typedef cudaError_t correlate_with(const float *d_image, int width, int height, const float *d_mask,
                                   int radius, enum border border, float *d_out);

/* The baseline of part A has its mask in global memory, and nothing to set. */
static bool sets_nothing(const struct bench_side *side) {
    return side->function[1] == NULL;
}

const char *const *lab_functions(const struct bench_job *job, bool baseline) {
    static const char *const mask[BENCH_FUNCTIONS] = {"correlate_constant", "set_mask"};
    static const char *const bank[BENCH_FUNCTIONS] = {"correlate_polyphase", "set_bank"};
    static const char *const slow_mask[BENCH_FUNCTIONS] = {"baseline_correlate", NULL};
    static const char *const slow_bank[BENCH_FUNCTIONS] = {"baseline_polyphase",
                                                           "baseline_set_bank"};
    if (strcmp(job->part, "A") == 0) {
        return baseline ? slow_mask : mask;
    }
    return baseline ? slow_bank : bank;
}

int lab_prepare(const struct bench_side *side, const struct bench_job *job) {
    if (sets_nothing(side)) {
        return cudaSuccess;
    }
    return (int)((set *)side->function[1])(job->mask, job->radius);
}

int lab_call(const struct bench_side *side, const struct bench_job *job, const void *d_image,
             void *d_out) {
    if (sets_nothing(side)) {
        return (int)((correlate_with *)side->function[0])(
            d_image, job->width, job->height, job->d_mask, job->radius, job->border, d_out);
    }
    return (int)((correlate *)side->function[0])(d_image, job->width, job->height, job->radius,
                                                 job->border, d_out);
}
