/* What is timed in lab 5, on a GPU: the row pass, both passes, and the fused kernel. The lines, and
 * for the baseline the plane that they make, are in constant memory before. Finding the lines is
 * the host's work, done once a mask, and not timed. */
#include "bench/bench.h"
#include "lab.h"

#include <math.h>
#include <string.h>

typedef cudaError_t set_of_lines(const float *h_column, const float *h_row, int radius);
typedef cudaError_t set_of_plane(const float *h_mask, int radius);
typedef cudaError_t correlate(const float *d_image, int width, int height, int radius,
                              enum border border, float *d_out);
typedef cudaError_t correlate_twice(const float *d_image, int width, int height, int radius,
                                    enum border border, float *d_between, float *d_out);

static float *d_between; /* for part B; as large as the image, until the process ends */

const struct bench_part lab_parts[] = {
    {"A", {{"correlate_rows", "set_lines"}, {"baseline_correlate", "baseline_set_mask"}}, 0},
    {"B", {{"correlate_separable", "set_lines"}, {"baseline_correlate", "baseline_set_mask"}}, 0},
    {"C", {{"correlate_fused", "set_lines"}, {"baseline_correlate", "baseline_set_mask"}}, 0},
    {0},
};

/* The column and the row of the job's mask: 1 x n for part A, n x n for B, 2 x n for C. */
static void find_lines(const struct bench_job *job, float *column, float *row) {
    const int size = 2 * job->radius + 1;
    const float *mask = job->mask;
    if (strcmp(job->part, "A") == 0) {
        memset(column, 0, (size_t)size * sizeof *column);
        column[job->radius] = 1.0f;
        memcpy(row, mask, (size_t)size * sizeof *row);
        return;
    }
    if (strcmp(job->part, "C") == 0) {
        memcpy(column, mask, (size_t)size * sizeof *column);
        memcpy(row, mask + size, (size_t)size * sizeof *row);
        return;
    }
    int largest = 0;
    for (int i = 1; i < size * size; i++) {
        largest = fabsf(mask[i]) > fabsf(mask[largest]) ? i : largest;
    }
    for (int i = 0; i < size; i++) {
        column[i] = mask[i * size + largest % size];
        row[i] = mask[largest / size * size + i] / mask[largest];
    }
}

int lab_prepare(const struct bench_side *side, const struct bench_job *job) {
    const int size = 2 * job->radius + 1;
    float column[LINE_MAX_LENGTH], row[LINE_MAX_LENGTH], plane[MASK_MAX_SIZE];
    if (job->radius < 0 || job->radius > MASK_MAX_RADIUS) {
        return cudaErrorInvalidValue;
    }
    find_lines(job, column, row);
    if (d_between == NULL) {
        const size_t bytes = (size_t)job->width * (size_t)job->height * sizeof(float);
        const cudaError_t error = cudaMalloc((void **)&d_between, bytes);
        if (error != cudaSuccess) {
            return (int)error;
        }
    }
    if (!side->baseline) {
        return (int)((set_of_lines *)side->function[1])(column, row, job->radius);
    }
    for (int i = 0; i < size * size; i++) {
        plane[i] = column[i / size] * row[i % size];
    }
    return (int)((set_of_plane *)side->function[1])(plane, job->radius);
}

int lab_call(const struct bench_side *side, const struct bench_job *job, const void *d_image,
             void *d_out) {
    if (!side->baseline && strcmp(job->part, "B") == 0) {
        return (int)((correlate_twice *)side->function[0])(
            d_image, job->width, job->height, job->radius, job->border, d_between, d_out);
    }
    return (int)((correlate *)side->function[0])(d_image, job->width, job->height, job->radius,
                                                 job->border, d_out);
}
