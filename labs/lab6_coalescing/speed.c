/* What is timed in lab 6, on a GPU: the whole filter, both passes, of each part. The lines are in
 * constant memory before. */
#include "bench/bench.h"
#include "lab.h"

typedef cudaError_t set(const float *h_column, const float *h_row, int radius);
typedef cudaError_t filter(const float *d_image, int width, int height, int radius,
                           enum border border, float *d_between, float *d_out);

static float *d_between; /* as large as the image, until the process ends */

const struct bench_part lab_parts[] = {
    {"A", {{"filter_coalesced", "set_lines"}, {"baseline_filter", "baseline_set_lines"}}, 0},
    {"B", {{"filter_conflict_free", "set_lines"}, {"baseline_filter", "baseline_set_lines"}}, 0},
    {"C", {{"filter_vectorised", "set_lines"}, {"baseline_filter", "baseline_set_lines"}}, 0},
    {0},
};

int lab_prepare(const struct bench_side *side, const struct bench_job *job) {
    const float *column = job->mask, *row = column + 2 * job->radius + 1;
    if (d_between == NULL) {
        const size_t bytes = (size_t)job->width * (size_t)job->height * sizeof(float);
        const cudaError_t error = cudaMalloc((void **)&d_between, bytes);
        if (error != cudaSuccess) {
            return (int)error;
        }
    }
    return (int)((set *)side->function[1])(column, row, job->radius);
}

int lab_call(const struct bench_side *side, const struct bench_job *job, const void *d_image,
             void *d_out) {
    return (int)((filter *)side->function[0])(d_image, job->width, job->height, job->radius,
                                              job->border, d_between, d_out);
}
