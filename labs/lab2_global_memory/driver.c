/* From one case of the runner to one call of the student's function. */
#include "lab.h"
#include "runner/runner.h"

#include <string.h>

enum { NO_SUCH_PART = -1, KIND_ACCEPTED = -2 };

/* One case, as it came from the runner: pointers of the host. */
struct job {
    const float *image, *mask;
    size_t image_bytes, mask_bytes;
    int width, height, radius;
    enum border border;
    float *out;
};

typedef cudaError_t on_device(const float *d_image, int width, int height, const float *d_mask,
                              int radius, enum border border, float *d_out);

/* From here on the calls are the student's: a failure that the grader asked for starts counting. */
static void students_turn(void) {
#ifdef CONVLABS_SIM
    sim_inject_arm();
#endif
}

/* The student's error; after a success, that of the kernels that are still running. */
static cudaError_t finished(cudaError_t returned) {
    return returned == cudaSuccess ? cudaDeviceSynchronize() : returned;
}

/* Parts A and D: device memory and copies are ours, d_out starts as NaN. */
static cudaError_t run_on_device(on_device *function, const struct job *job) {
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
        students_turn();
        error = finished(
            function(d_image, job->width, job->height, d_mask, job->radius, job->border, d_out));
    }
    if (error == cudaSuccess) {
        error = cudaMemcpy(job->out, d_out, job->image_bytes, cudaMemcpyDeviceToHost);
    }
    cudaFree(d_image);
    cudaFree(d_mask);
    cudaFree(d_out);
    return error;
}

/* A call for one pixel and a mask of one coefficient, for which other sizes hold. */
static cudaError_t earlier_call(const struct job *job) {
    float one;
    return correlate_host(job->image, 1, 1, job->mask, 0, job->border, &one);
}

/* Does correlate_staged() refuse a kind of memory that there is not? */
static int refuses_kind(const struct job *job) {
    const cudaError_t error =
        correlate_staged((enum host_memory)(HOST_WRITE_COMBINED + 1), job->image, job->width,
                         job->height, job->mask, job->radius, job->border, job->out);
    cudaGetLastError(); /* what this call left behind must not speak for the next one */
    return error == cudaErrorInvalidValue;
}

static enum host_memory kind_of(const char *name) {
    if (strcmp(name, "pinned") == 0) {
        return HOST_PINNED;
    }
    return strcmp(name, "write-combined") == 0 ? HOST_WRITE_COMBINED : HOST_PAGEABLE;
}

/* Settings: border = zero | replicate; host_memory = pageable | pinned | write-combined (part C);
 * first = one pixel (part B: a call before the one that counts) | another kind (part C: must be
 * refused). */
int lab_run(struct runner *r) {
    const struct npy *image = runner_input(r, "image", "<f4");
    const struct npy *mask = runner_input(r, "mask", "<f4");
    const char *border = runner_setting(r, "border", "zero");
    const enum host_memory kind = kind_of(runner_setting(r, "host_memory", "pageable"));
    const char *part = runner_part(r), *first = runner_setting(r, "first", "");
    const struct job job = {
        .image = image->data,
        .mask = mask->data,
        .image_bytes = image->bytes,
        .mask_bytes = mask->bytes,
        .width = image->shape[1],
        .height = image->shape[0],
        .radius = mask->shape[0] / 2,
        .border = strcmp(border, "zero") == 0 ? BORDER_ZERO : BORDER_REPLICATE,
        .out = runner_output(r, "out", image->bytes),
    };

    if (strcmp(part, "A") == 0) {
        return (int)run_on_device(correlate_device, &job);
    }
    if (strcmp(part, "B") == 0) {
        const cudaError_t error =
            strcmp(first, "one pixel") == 0 ? earlier_call(&job) : cudaSuccess;
        if (error != cudaSuccess) {
            return (int)error;
        }
        students_turn();
        return (int)finished(correlate_host(job.image, job.width, job.height, job.mask, job.radius,
                                            job.border, job.out));
    }
    if (strcmp(part, "C") == 0) {
        if (strcmp(first, "another kind") == 0 && !refuses_kind(&job)) {
            return KIND_ACCEPTED;
        }
        students_turn();
        return (int)finished(correlate_staged(kind, job.image, job.width, job.height, job.mask,
                                              job.radius, job.border, job.out));
    }
    if (strcmp(part, "D") == 0) {
        return (int)run_on_device(correlate_identical, &job);
    }
    if (strcmp(part, "baseline") == 0) {
        baseline_correlate(job.image, job.width, job.height, job.mask, job.radius, job.border,
                           job.out);
        return 0;
    }
    return NO_SUCH_PART;
}

const char *lab_error(int returned) {
    if (returned == KIND_ACCEPTED) {
        return "something else than cudaErrorInvalidValue for a kind of memory that there is not";
    }
    return returned == NO_SUCH_PART ? "no such part" : cudaGetErrorName((cudaError_t)returned);
}
