/* What is timed in lab 7, on a GPU: the launch of each part, in double or in float. */
#include "bench/bench.h"
#include "lab.h"

#include <string.h>

typedef cudaError_t one_mask_double(const double *d_image, int channels, int height, int width,
                                    const double *d_mask, double *d_out);
typedef cudaError_t one_mask_float(const float *d_image, int channels, int height, int width,
                                   const float *d_mask, float *d_out);
typedef cudaError_t bank_double(const double *d_image, int channels, int height, int width,
                                const double *d_bank, int masks, double *d_out);
typedef cudaError_t bank_float(const float *d_image, int channels, int height, int width,
                               const float *d_bank, int masks, float *d_out);

static bool doubles(const struct bench_job *job) {
    return job->element == sizeof(double);
}

const struct bench_part lab_parts[] = {
    {"A", {{"depthwise_float"}, {"baseline_depthwise_float"}}, sizeof(float)},
    {"A", {{"depthwise_double"}, {"baseline_depthwise_double"}}, sizeof(double)},
    {"B", {{"pointwise_float"}, {"baseline_pointwise_float"}}, sizeof(float)},
    {"B", {{"pointwise_double"}, {"baseline_pointwise_double"}}, sizeof(double)},
    {"C", {{"convolution_float"}, {"baseline_convolution_float"}}, sizeof(float)},
    {"C", {{"convolution_double"}, {"baseline_convolution_double"}}, sizeof(double)},
    {0},
};

int lab_call(const struct bench_side *side, const struct bench_job *job, const void *d_image,
             void *d_out) {
    const int h = job->height, w = job->width, n = job->planes, c = job->image_rows / h;
    bench_function *const function = side->function[0];

    if (strcmp(job->part, "A") == 0) {
        return (int)(doubles(job)
                         ? ((one_mask_double *)function)(d_image, c, h, w, job->d_mask, d_out)
                         : ((one_mask_float *)function)(d_image, c, h, w, job->d_mask, d_out));
    }
    return (int)(doubles(job) ? ((bank_double *)function)(d_image, c, h, w, job->d_mask, n, d_out)
                              : ((bank_float *)function)(d_image, c, h, w, job->d_mask, n, d_out));
}
