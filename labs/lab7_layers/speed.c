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

/* The function of a part: [baseline][double], each a list of one. */
static const struct {
    const char *part;
    const char *names[2][2][BENCH_FUNCTIONS];
} parts[] = {
    {"A",
     {{{"depthwise_float"}, {"depthwise_double"}},
      {{"baseline_depthwise_float"}, {"baseline_depthwise_double"}}}},
    {"B",
     {{{"pointwise_float"}, {"pointwise_double"}},
      {{"baseline_pointwise_float"}, {"baseline_pointwise_double"}}}},
    {"C",
     {{{"convolution_float"}, {"convolution_double"}},
      {{"baseline_convolution_float"}, {"baseline_convolution_double"}}}},
};

static bool doubles(const struct bench_job *job) {
    return job->element == sizeof(double);
}

const char *const *lab_functions(const struct bench_job *job, bool baseline) {
    static const char *const none[BENCH_FUNCTIONS] = {NULL, NULL};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (strcmp(parts[i].part, job->part) == 0) {
            return parts[i].names[baseline][doubles(job)];
        }
    }
    return none;
}

int lab_prepare(const struct bench_side *side, const struct bench_job *job) {
    (void)side, (void)job;
    return cudaSuccess;
}

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
