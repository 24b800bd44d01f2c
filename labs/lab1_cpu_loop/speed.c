/* What is timed in lab 1: all parts, each by one call. */
#include "bench/bench.h"
#include "lab.h"

typedef void correlate(const float *image, int width, int height, const float *mask, int radius,
                       enum border border, float *out);

const struct bench_part lab_parts[] = {
    {"A", {{"correlate_loops"}, {"baseline_correlate"}}, 0},
    {"B", {{"correlate_rows"}, {"baseline_correlate"}}, 0},
    {"C", {{"correlate_openmp"}, {"baseline_correlate"}}, 0},
    {0},
};

int lab_call(const struct bench_side *side, const struct bench_job *job, const void *d_image,
             void *d_out) {
    ((correlate *)side->function[0])(d_image, job->width, job->height, job->d_mask, job->radius,
                                     job->border, d_out);
    return 0;
}
