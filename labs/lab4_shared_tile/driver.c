/* From one case of the runner to the calls of the student's functions. */
#include "lab.h"
#include "runner/runner.h"

#include <stdlib.h>
#include <string.h>

enum { NO_SUCH_PART = -1, BAD_RADIUS_ACCEPTED = -2, RADIUS_TOO_LARGE = -3 };

/* What one of the parts computes, on the device. Part C alone uses d_mask. */
struct task {
    char part; /* 'A' to 'D', or 'b' for the baseline */
    const float *d_image, *d_mask;
    float *d_out;
    int width, height, radius;
    enum border border;
};

/* One case, as it came from the runner: pointers of the host. */
struct job {
    struct task task;
    const float *image, *mask;
    size_t image_bytes, mask_bytes;
    int bad_radius;    /* to be refused first; 0: none is tried */
    int smaller_first; /* part C: is there a call with radius 1 before the one that counts? */
};

/* From here on the calls are the student's: a failure that the grader asked for starts counting. */
static void students_turn(void) {
#ifdef CONVLABS_SIM
    sim_inject_arm();
#endif
}

static cudaError_t correlate(const struct task *t) {
    const float *d_image = t->d_image;
    const int width = t->width, height = t->height, radius = t->radius;

    switch (t->part) {
    case 'A':
        return correlate_idle(d_image, width, height, radius, t->border, t->d_out);
    case 'B':
        return correlate_tile(d_image, width, height, radius, t->border, t->d_out);
    case 'C':
        return correlate_dynamic(d_image, width, height, t->d_mask, radius, t->border, t->d_out);
    case 'D':
        return correlate_register(d_image, width, height, radius, t->border, t->d_out);
    default:
        return baseline_correlate(d_image, width, height, radius, t->border, t->d_out);
    }
}

/* Does the student's function refuse job->bad_radius? */
static int refuse_bad_radius(const struct job *job, const struct task *task) {
    struct task bad = *task;
    float *d_zeros = NULL;
    const size_t size = (size_t)(2 * abs(job->bad_radius) + 1), bytes = size * size * sizeof(float);

    if (cudaMalloc((void **)&d_zeros, bytes) != cudaSuccess) {
        return 1; /* our lack of memory is not the student's mistake */
    }
    bad.radius = job->bad_radius;
    bad.d_mask = d_zeros;
    cudaError_t run = cudaMemset(d_zeros, 0, bytes);
    if (run == cudaSuccess) {
        run = correlate(&bad);
    }
    cudaGetLastError(); /* what this call left behind must not speak for the next one */
    cudaFree(d_zeros);
    return run == cudaErrorInvalidValue;
}

/* What the student's functions return, or the baseline's. */
static cudaError_t run_part(const struct job *job, const struct task *task) {
    cudaError_t error = cudaSuccess;

    if (task->part == 'b') {
        error = baseline_set_mask(job->mask, task->radius);
    } else if (task->part != 'C') {
        error = set_mask(job->mask, task->radius);
    }
    if (error != cudaSuccess) {
        return error;
    }
    if (job->smaller_first) {
        struct task smaller = *task;
        smaller.radius = 1;
        error = correlate(&smaller);
        if (error != cudaSuccess) {
            return error;
        }
    }
    if (job->bad_radius != 0 && !refuse_bad_radius(job, task)) {
        return (cudaError_t)BAD_RADIUS_ACCEPTED;
    }
    students_turn();
    return correlate(task);
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
    if (error == cudaSuccess) {
        error = cudaMemset(d_out, 0xff, job->image_bytes);
    }
    if (error == cudaSuccess) {
        struct task task = job->task;
        task.d_image = d_image, task.d_mask = d_mask, task.d_out = d_out;
        error = run_part(job, &task);
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

/* Settings: border = zero | replicate; bad_radius = a radius that the part must refuse, tried
 * between set_mask() and the call that counts;
 * first = radius 1: part C is called with that before. */
int lab_run(struct runner *r) {
    const struct npy *image = runner_input(r, "image", "<f4");
    const struct npy *mask = runner_input(r, "mask", "<f4");
    const char *part = runner_part(r);
    const int zero = strcmp(runner_setting(r, "border", "zero"), "zero") == 0;
    const struct job job = {
        .task =
            {
                .part = part[0],
                .width = image->shape[1],
                .height = image->shape[0],
                .radius = mask->shape[1] / 2,
                .border = zero ? BORDER_ZERO : BORDER_REPLICATE,
            },
        .image = image->data,
        .mask = mask->data,
        .image_bytes = image->bytes,
        .mask_bytes = mask->bytes,
        .bad_radius = atoi(runner_setting(r, "bad_radius", "0")),
        .smaller_first = part[0] == 'C' && strcmp(runner_setting(r, "first", ""), "radius 1") == 0,
    };

    if (strcmp(part, "baseline") != 0 && (strlen(part) != 1 || strchr("ABCD", part[0]) == NULL)) {
        return NO_SUCH_PART;
    }
    if (part[0] != 'C' && job.task.radius > MASK_MAX_RADIUS) {
        return RADIUS_TOO_LARGE;
    }
    return (int)run_on_device(&job, runner_output(r, "out", image->bytes));
}

const char *lab_error(int returned) {
    switch (returned) {
    case NO_SUCH_PART:
        return "no such part";
    case RADIUS_TOO_LARGE:
        return "a mask that is too large for the part";
    case BAD_RADIUS_ACCEPTED:
        return "something else than cudaErrorInvalidValue for a radius that lab.h does not allow";
    default:
        return cudaGetErrorName((cudaError_t)returned);
    }
}
