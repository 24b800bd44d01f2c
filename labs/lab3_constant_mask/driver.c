/* From one case of the runner to the calls of the student's functions. */
#include "lab.h"
#include "runner/runner.h"

#include <stdlib.h>
#include <string.h>

enum { NO_SUCH_PART = -1, BAD_RADIUS_ACCEPTED = -2, WRONG_SHAPE = -3 };
enum { PART_A, PART_B, BASELINE };

/* One case, as it came from the runner: pointers of the host. */
struct job {
    int part, bank; /* bank: the mask is one of PHASES */
    const float *image, *mask;
    size_t image_bytes, mask_bytes;
    int width, height, radius;
    int bad_radius; /* to be refused first; 0: none is tried */
    enum border border;
};

/* From here on the calls are the student's: a failure that the grader asked for starts counting. */
static void students_turn(void) {
#ifdef CONVLABS_SIM
    sim_inject_arm();
#endif
}

/* Do the student's two functions refuse job->bad_radius? The mask for it is there and all 0. The
 * largest mask is set before, also to zeros: what is copied once only shows afterwards. */
static int refuse_bad_radius(const struct job *job, const float *d_image, float *d_out) {
    const int radius = job->bad_radius;
    const size_t size = (size_t)(2 * (abs(radius) + MASK_MAX_RADIUS) + 1);
    float *zeros = calloc(PHASES * size * size, sizeof(float));
    if (zeros == NULL) {
        return 1; /* our lack of memory is not the student's mistake */
    }
    const cudaError_t earlier =
        job->bank ? set_bank(zeros, MASK_MAX_RADIUS) : set_mask(zeros, MASK_MAX_RADIUS);
    if (earlier != cudaSuccess) { /* the calls that count say so */
        free(zeros);
        return 1;
    }
    const cudaError_t set = job->bank ? set_bank(zeros, radius) : set_mask(zeros, radius);
    cudaGetLastError(); /* what this call left behind must not speak for the next one */
    const cudaError_t run = (job->bank ? correlate_polyphase : correlate_constant)(
        d_image, job->width, job->height, radius, job->border, d_out);
    cudaGetLastError();
    free(zeros);
    return set == cudaErrorInvalidValue && run == cudaErrorInvalidValue;
}

/* The mask to constant memory, then the launch; what the student's functions return. d_mask is for
 * the baseline of part A alone. */
static cudaError_t run_part(const struct job *job, const float *d_image, const float *d_mask,
                            float *d_out) {
    const int width = job->width, height = job->height, radius = job->radius;
    cudaError_t error;

    if (job->part == BASELINE && !job->bank) {
        return baseline_correlate(d_image, width, height, d_mask, radius, job->border, d_out);
    }
    if (job->part == BASELINE) {
        error = baseline_set_bank(job->mask, radius);
        return error != cudaSuccess
                   ? error
                   : baseline_polyphase(d_image, width, height, radius, job->border, d_out);
    }
    if (job->bad_radius != 0 && !refuse_bad_radius(job, d_image, d_out)) {
        return (cudaError_t)BAD_RADIUS_ACCEPTED;
    }
    students_turn();
    error = job->bank ? set_bank(job->mask, radius) : set_mask(job->mask, radius);
    if (error != cudaSuccess) {
        return error;
    }
    return job->bank ? correlate_polyphase(d_image, width, height, radius, job->border, d_out)
                     : correlate_constant(d_image, width, height, radius, job->border, d_out);
}

/* Device memory and copies are ours, d_out starts as NaN. `out` is of the host. */
static cudaError_t run_on_device(const struct job *job, float *out) {
    float *d_image = NULL, *d_mask = NULL, *d_out = NULL;
    cudaError_t error = cudaMalloc((void **)&d_image, job->image_bytes);

    if (error == cudaSuccess) {
        error = cudaMalloc((void **)&d_mask, job->mask_bytes);
    }
    if (error == cudaSuccess) {
        error = cudaMalloc((void **)&d_out, job->image_bytes);
    }
    if (error == cudaSuccess) {
        error = cudaMemcpy(d_image, job->image, job->image_bytes, cudaMemcpyHostToDevice);
    }
    if (error == cudaSuccess) {
        error = cudaMemcpy(d_mask, job->mask, job->mask_bytes, cudaMemcpyHostToDevice);
    }
#ifndef CONVLABS_SIM /* whose memory is NaN from the start, and known to be unwritten */
    if (error == cudaSuccess) {
        error = cudaMemset(d_out, 0xff, job->image_bytes);
    }
#endif
    if (error == cudaSuccess) {
        error = run_part(job, d_image, d_mask, d_out);
    }
    if (error == cudaSuccess) {
        error = cudaDeviceSynchronize();
    }
    if (error == cudaSuccess) {
        error = cudaMemcpy(out, d_out, job->image_bytes, cudaMemcpyDeviceToHost);
    }
    cudaFree(d_image);
    cudaFree(d_mask);
    cudaFree(d_out);
    return error;
}

/* Settings: border = zero | replicate; bad_radius = a radius that both functions must refuse,
 * tried before the calls that count. */
int lab_run(struct runner *r) {
    const struct npy *image = runner_input(r, "image", "<f4");
    const struct npy *mask = runner_input(r, "mask", "<f4");
    const char *part = runner_part(r);
    const int bank = mask->ndim == 3;
    const struct job job = {
        .part = strcmp(part, "A") == 0   ? PART_A
                : strcmp(part, "B") == 0 ? PART_B
                                         : BASELINE,
        .bank = bank,
        .image = image->data,
        .mask = mask->data,
        .image_bytes = image->bytes,
        .mask_bytes = mask->bytes,
        .width = image->shape[1],
        .height = image->shape[0],
        .radius = mask->shape[mask->ndim - 1] / 2,
        .bad_radius = atoi(runner_setting(r, "bad_radius", "0")),
        .border = strcmp(runner_setting(r, "border", "zero"), "zero") == 0 ? BORDER_ZERO
                                                                           : BORDER_REPLICATE,
    };

    if (job.part == BASELINE && strcmp(part, "baseline") != 0) {
        return NO_SUCH_PART;
    }
    if ((job.part == PART_A && bank) || (job.part == PART_B && !bank) ||
        (bank && mask->shape[0] != PHASES)) {
        return WRONG_SHAPE;
    }
    return (int)run_on_device(&job, runner_output(r, "out", image->bytes));
}

const char *lab_error(int returned) {
    switch (returned) {
    case NO_SUCH_PART:
        return "no such part";
    case WRONG_SHAPE:
        return "a mask of the wrong shape for the part";
    case BAD_RADIUS_ACCEPTED:
        return "something else than cudaErrorInvalidValue for a radius that lab.h does not allow";
    default:
        return cudaGetErrorName((cudaError_t)returned);
    }
}
