/* From one case of the runner to one call of the student's function. */
#include "lab.h"
#include "runner/runner.h"

#include <string.h>

enum { NO_SUCH_PART = -1, WRONG_SHAPE = -2 };

/* One case, as it came from the runner: `image` and `mask` are of the host. */
struct job {
    int part;   /* 'A', 'B' or 'C': what is computed */
    int given;  /* by the baseline */
    int floats; /* else doubles */
    const struct npy *image, *mask;
    size_t out_bytes;
    int channels, height, width, masks;
};

/* From here on the calls are the student's: a failure that the grader asked for starts counting. */
static void students_turn(void) {
#ifdef CONVLABS_SIM
    sim_inject_arm();
#endif
}

static cudaError_t call_double(const struct job *job, const double *d_image, const double *d_mask,
                               double *d_out) {
    const int c = job->channels, h = job->height, w = job->width, n = job->masks;
    if (job->part == 'A') {
        return (job->given ? baseline_depthwise_double : depthwise_double)(d_image, c, h, w, d_mask,
                                                                           d_out);
    }
    if (job->part == 'B') {
        return (job->given ? baseline_pointwise_double : pointwise_double)(d_image, c, h, w, d_mask,
                                                                           n, d_out);
    }
    return (job->given ? baseline_convolution_double : convolution_double)(d_image, c, h, w, d_mask,
                                                                           n, d_out);
}

static cudaError_t call_float(const struct job *job, const float *d_image, const float *d_mask,
                              float *d_out) {
    const int c = job->channels, h = job->height, w = job->width, n = job->masks;
    if (job->part == 'A') {
        return (job->given ? baseline_depthwise_float : depthwise_float)(d_image, c, h, w, d_mask,
                                                                         d_out);
    }
    if (job->part == 'B') {
        return (job->given ? baseline_pointwise_float : pointwise_float)(d_image, c, h, w, d_mask,
                                                                         n, d_out);
    }
    return (job->given ? baseline_convolution_float : convolution_float)(d_image, c, h, w, d_mask,
                                                                         n, d_out);
}

/* Device memory and copies are ours, d_out starts as NaN. `out` is of the host. */
static cudaError_t run_on_device(const struct job *job, void *out) {
    void *d_image = NULL, *d_mask = NULL, *d_out = NULL;
    cudaError_t error = cudaMalloc(&d_image, job->image->bytes);

    if (error == cudaSuccess) {
        error = cudaMalloc(&d_mask, job->mask->bytes);
    }
    if (error == cudaSuccess) {
        error = cudaMalloc(&d_out, job->out_bytes);
    }
    if (error == cudaSuccess) {
        error = cudaMemcpy(d_image, job->image->data, job->image->bytes, cudaMemcpyHostToDevice);
    }
    if (error == cudaSuccess) {
        error = cudaMemcpy(d_mask, job->mask->data, job->mask->bytes, cudaMemcpyHostToDevice);
    }
    if (error == cudaSuccess) {
        error = cudaMemset(d_out, 0xff, job->out_bytes);
    }
    if (error == cudaSuccess) {
        students_turn();
        error = job->floats ? call_float(job, d_image, d_mask, d_out)
                            : call_double(job, d_image, d_mask, d_out);
    }
    if (error == cudaSuccess) {
        error = cudaDeviceSynchronize();
    }
    if (error == cudaSuccess) {
        error = cudaMemcpy(out, d_out, job->out_bytes, cudaMemcpyDeviceToHost);
    }
    cudaFree(d_image);
    cudaFree(d_mask);
    cudaFree(d_out);
    return error;
}

/* What a mask of this shape is for: 'A', 'B', 'C', or 0 for one that fits no part. */
static int part_of(const struct npy *image, const struct npy *mask) {
    if (image->ndim != 3 || strcmp(image->type, mask->type) != 0) {
        return 0;
    }
    if (mask->ndim == 2) {
        return mask->shape[0] == SIZE && mask->shape[1] == SIZE ? 'A' : 0;
    }
    if (mask->ndim != 4 || mask->shape[1] != image->shape[0] || mask->shape[2] != mask->shape[3]) {
        return 0;
    }
    return mask->shape[2] == 1 ? 'B' : mask->shape[2] == SIZE ? 'C' : 0;
}

/* Inputs: image (channels x height x width) and mask (3 x 3, masks x channels x 1 x 1 or masks x
 * channels x 3 x 3), both <f8 or both <f4; the output has their type. */
int lab_run(struct runner *r) {
    const struct npy *image = runner_input(r, "image", NULL);
    const struct npy *mask = runner_input(r, "mask", NULL);
    const char *part = runner_part(r);
    const int given = strcmp(part, "baseline") == 0;
    struct job job = {.part = part_of(image, mask), .given = given, .image = image, .mask = mask};

    if (!given && (strlen(part) != 1 || strchr("ABC", part[0]) == NULL)) {
        return NO_SUCH_PART;
    }
    job.floats = strcmp(image->type, "<f4") == 0;
    if (job.part == 0 || (!given && job.part != part[0]) ||
        (!job.floats && strcmp(image->type, "<f8") != 0)) {
        return WRONG_SHAPE;
    }
    job.channels = image->shape[0];
    job.height = image->shape[1];
    job.width = image->shape[2];
    job.masks = job.part == 'A' ? job.channels : mask->shape[0];
    job.out_bytes = (size_t)job.masks * (size_t)job.height * (size_t)job.width *
                    (job.floats ? sizeof(float) : sizeof(double));
    return (int)run_on_device(&job, runner_output(r, "out", job.out_bytes));
}

const char *lab_error(int returned) {
    switch (returned) {
    case NO_SUCH_PART:
        return "no such part";
    case WRONG_SHAPE:
        return "image and mask of shapes or types that fit no part";
    default:
        return cudaGetErrorName((cudaError_t)returned);
    }
}
