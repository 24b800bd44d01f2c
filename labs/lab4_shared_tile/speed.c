/* What is timed in lab 4, on a GPU: the launches of parts B, C and D. The mask of B and D is in
 * constant memory before. Part A is slow by design, and not timed. */
#include "bench/bench.h"
#include "lab.h"

typedef cudaError_t set(const float *h_mask, int radius);
typedef cudaError_t correlate(const float *d_image, int width, int height, int radius,
                              enum border border, float *d_out);
typedef cudaError_t correlate_with(const float *d_image, int width, int height, const float *d_mask,
                                   int radius, enum border border, float *d_out);

const struct bench_part lab_parts[] = {
    {"B", {{"correlate_tile", "set_mask"}, {"baseline_correlate", "baseline_set_mask"}}, 0},
    {"C", {{"correlate_dynamic"}, {"baseline_correlate", "baseline_set_mask"}}, 0},
    {"D", {{"correlate_register", "set_mask"}, {"baseline_correlate", "baseline_set_mask"}}, 0},
    {0},
};

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
