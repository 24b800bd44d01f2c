/* What is timed in lab 3, on a GPU: the launches. The mask is in constant memory before. */
#include "bench/bench.h"
#include "lab.h"

typedef cudaError_t set(const float *h_mask, int radius);
typedef cudaError_t correlate(const float *d_image, int width, int height, int radius,
                              enum border border, float *d_out);
typedef cudaError_t correlate_with(const float *d_image, int width, int height, const float *d_mask,
                                   int radius, enum border border, float *d_out);

/* The baseline of part A has its mask in global memory, and nothing to set. */
static bool sets_nothing(const struct bench_side *side) {
    return side->function[1] == NULL;
}

const struct bench_part lab_parts[] = {
    {"A", {{"correlate_constant", "set_mask"}, {"baseline_correlate"}}, 0},
    {"B", {{"correlate_polyphase", "set_bank"}, {"baseline_polyphase", "baseline_set_bank"}}, 0},
    {0},
};

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
