/* What is timed in lab 2, on a GPU: the kernels of parts A and D. Parts B and C are host code whose
 * time is that of the bus. The baseline is a loop on the CPU and takes no part. */
#include "bench/bench.h"
#include "lab.h"

typedef cudaError_t on_device(const float *d_image, int width, int height, const float *d_mask,
                              int radius, enum border border, float *d_out);

const struct bench_part lab_parts[] = {
    {"A", {{"correlate_device"}}, 0},
    {"D", {{"correlate_identical"}}, 0},
    {0},
};

int lab_call(const struct bench_side *side, const struct bench_job *job, const void *d_image,
             void *d_out) {
    return (int)((on_device *)side->function[0])(d_image, job->width, job->height, job->d_mask,
                                                 job->radius, job->border, d_out);
}
