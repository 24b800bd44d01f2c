/* From one case of the runner to the calls of the student's functions. */
#include "lab.h"
#include "runner/runner.h"

#include <string.h>

enum { NO_SUCH_PART = -1, WRONG_SHAPE = -2 };

typedef cudaError_t set_function(const float *h_column, const float *h_row, int radius);
typedef cudaError_t filter_function(const float *d_image, int width, int height, int radius,
                                    enum border border, float *d_between, float *d_out);

/* What a part calls. */
struct part {
    const char *name;
    set_function *set;
    filter_function *filter;
};

static const struct part parts[] = {
    {"A", set_lines, filter_coalesced},
    {"B", set_lines, filter_conflict_free},
    {"C", set_lines, filter_vectorised},
    {"baseline", baseline_set_lines, baseline_filter},
};

/* One case, as it came from the runner: pointers of the host. */
struct job {
    const struct part *part;
    const float *image, *column, *row;
    size_t image_bytes;
    int width, height, radius;
    enum border border;
};

/* From here on the calls are the student's: a failure that the grader asked for starts counting. */
static void students_turn(void) {
#ifdef CONVLABS_SIM
    sim_inject_arm();
#endif
}

static cudaError_t run_part(const struct job *job, const float *d_image, float *d_between,
                            float *d_out) {
    students_turn();
    const cudaError_t error = job->part->set(job->column, job->row, job->radius);
    return error != cudaSuccess ? error
                                : job->part->filter(d_image, job->width, job->height, job->radius,
                                                    job->border, d_between, d_out);
}

/* Device memory and copies are ours, d_between and d_out start as NaN. `out` is of the host. */
static cudaError_t run_on_device(const struct job *job, float *out) {
    float *d_image = NULL, *d_between = NULL, *d_out = NULL;
    cudaError_t error = cudaMalloc((void **)&d_image, job->image_bytes);

    if (error == cudaSuccess) {
        error = cudaMalloc((void **)&d_between, job->image_bytes);
    }
    if (error == cudaSuccess) {
        error = cudaMalloc((void **)&d_out, job->image_bytes);
    }
    if (error == cudaSuccess) {
        error = cudaMemcpy(d_image, job->image, job->image_bytes, cudaMemcpyHostToDevice);
    }
#ifndef CONVLABS_SIM /* whose memory is NaN from the start, and known to be unwritten */
    if (error == cudaSuccess) {
        error = cudaMemset(d_between, 0xff, job->image_bytes);
    }
    if (error == cudaSuccess) {
        error = cudaMemset(d_out, 0xff, job->image_bytes);
    }
#endif
    if (error == cudaSuccess) {
        error = run_part(job, d_image, d_between, d_out);
    }
    if (error == cudaSuccess) {
        error = cudaDeviceSynchronize();
    }
    if (error == cudaSuccess) {
        error = cudaMemcpy(out, d_out, job->image_bytes, cudaMemcpyDeviceToHost);
    }
    cudaFree(d_image);
    cudaFree(d_between);
    cudaFree(d_out);
    return error;
}

/* The mask is 2 x (2r+1): the column, then the row. Settings: border = zero | replicate. */
int lab_run(struct runner *r) {
    const struct npy *image = runner_input(r, "image", "<f4");
    const struct npy *mask = runner_input(r, "mask", "<f4");
    const struct part *part = NULL;

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (strcmp(parts[i].name, runner_part(r)) == 0) {
            part = &parts[i];
        }
    }
    if (part == NULL) {
        return NO_SUCH_PART;
    }
    if (mask->ndim != 2 || mask->shape[0] != 2 || mask->shape[1] % 2 == 0 ||
        mask->shape[1] > LINE_MAX_LENGTH) {
        return WRONG_SHAPE;
    }
    const float *lines = mask->data;
    const struct job job = {
        .part = part,
        .image = image->data,
        .column = lines,
        .row = lines + mask->shape[1],
        .image_bytes = image->bytes,
        .width = image->shape[1],
        .height = image->shape[0],
        .radius = mask->shape[1] / 2,
        .border = strcmp(runner_setting(r, "border", "zero"), "zero") == 0 ? BORDER_ZERO
                                                                           : BORDER_REPLICATE,
    };
    return (int)run_on_device(&job, runner_output(r, "out", image->bytes));
}

const char *lab_error(int returned) {
    switch (returned) {
    case NO_SUCH_PART:
        return "no such part";
    case WRONG_SHAPE:
        return "a mask that is not two lines of one odd length";
    default:
        return cudaGetErrorName((cudaError_t)returned);
    }
}
