/* From one case of the runner to one call of the student's function. */
#include "evidence/our_fault.h"
#include "lab.h"
#include "runner/device_case.h"

#include <stdio.h>
#include <string.h>

/* One case, as it came from the runner: `image` and `mask` are of the host. */
struct job {
    int part;    /* 'A', 'B' or 'C': what is computed */
    bool given;  /* by the baseline */
    bool floats; /* else doubles */
    const struct npy *image, *mask;
    size_t out_bytes;
    int channels, height, width, masks;
};

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

/* The name of the function that the job calls, such as "pointwise_float", to `name`. */
static void name_of(const struct job *job, char *name, size_t size) {
    snprintf(name, size, "%s%s_%s", job->given ? "baseline_" : "",
             job->part == 'A'   ? "depthwise"
             : job->part == 'B' ? "pointwise"
                                : "convolution",
             job->floats ? "float" : "double");
}

static void run_on_device(struct runner *r, const struct job *job, void *out) {
    char name[32];
    struct device_case c = {.runner = r};
    const void *d_image = device_case_input(&c, "d_image", job->image->data, job->image->bytes);
    const void *d_mask = device_case_input(&c, job->part == 'A' ? "d_mask" : "d_bank",
                                           job->mask->data, job->mask->bytes);
    void *d_out = device_case_output(&c, "d_out", job->out_bytes);

    name_of(job, name, sizeof name);
    if (!runner_failed(r)) {
        device_case_students_turn(&c);
        device_case_called(&c, name,
                           job->floats ? call_float(job, d_image, d_mask, d_out)
                                       : call_double(job, d_image, d_mask, d_out));
    }
    device_case_end(&c, d_out, out, job->out_bytes);
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
void lab_run(struct runner *r) {
    const struct npy *image = runner_input(r, "image", NULL);
    const struct npy *mask = runner_input(r, "mask", NULL);
    const char *part = runner_part(r);
    const bool given = strcmp(part, "baseline") == 0;
    struct job job = {.part = part_of(image, mask), .given = given, .image = image, .mask = mask};

    if (!given && (strlen(part) != 1 || strchr("ABC", part[0]) == NULL)) {
        runner_no_such_part(r);
    }
    job.floats = strcmp(image->type, "<f4") == 0;
    if (job.part == 0 || (!given && job.part != part[0]) ||
        (!job.floats && strcmp(image->type, "<f8") != 0)) {
        our_fault("part %s takes no image and mask of these shapes and types", part);
    }
    job.channels = image->shape[0];
    job.height = image->shape[1];
    job.width = image->shape[2];
    job.masks = job.part == 'A' ? job.channels : mask->shape[0];
    job.out_bytes = (size_t)job.masks * (size_t)job.height * (size_t)job.width *
                    (job.floats ? sizeof(float) : sizeof(double));
    run_on_device(r, &job, runner_output(r, "out", job.out_bytes));
}
