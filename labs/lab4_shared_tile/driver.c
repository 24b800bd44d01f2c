/* From one case of the runner to the calls of the student's functions. */
#include "evidence/our_fault.h"
#include "lab.h"
#include "runner/device_case.h"
#include "runner/fence.h"

#include <stdlib.h>
#include <string.h>

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
    int bad_radius;     /* to be refused first; 0: none is tried */
    int refused;        /* to be refused between set_mask() and the part; 0: none is tried */
    bool keeps;         /* the mask of the step before: it is not set again */
    bool smaller_first; /* part C: is there a call with radius 1 before the one that counts? */
};

static const char *name_of(char part) {
    return part == 'A'   ? "correlate_idle"
           : part == 'B' ? "correlate_tile"
           : part == 'C' ? "correlate_dynamic"
           : part == 'D' ? "correlate_register"
                         : "baseline_correlate";
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

/* The part must refuse that radius. The mask for it is there and all 0. */
static void refuse_radius(struct device_case *c, struct task task, int radius) {
    const size_t size = (size_t)(2 * abs(radius) + 1);
    float *zeros = calloc(size * size, sizeof(float));
    if (zeros == NULL) {
        our_fault("not enough memory for a mask of radius %d", radius);
    }
    task.radius = radius;
    task.d_mask = device_case_input(c, "d_mask", zeros, size * size * sizeof(float));
    if (!runner_failed(c->runner)) {
        c->buffer[c->buffers - 1].input = NULL; /* freed here, before inputs are compared */
        device_case_must_refuse(c, name_of(task.part), correlate(&task), "radius", radius,
                                "which lab.h does not allow");
    }
    free(zeros);
}

/* Part C has refused, and must have launched nothing: d_out still holds `before`. */
static void see_untouched(struct device_case *c, const struct task *task, const float *before,
                          size_t bytes) {
    float *after = malloc(bytes);
    if (after == NULL) {
        our_fault("not enough memory to compare an output of %zu bytes", bytes);
    }
    if (cudaMemcpy(after, task->d_out, bytes, cudaMemcpyDeviceToHost) != cudaSuccess ||
        memcmp(after, before, bytes) != 0) {
        runner_fail(c->runner, RUNNER_REJECTED,
                    "%s() returned cudaErrorInvalidValue for radius = %d, but launched a kernel "
                    "first, which wrote to d_out; it must launch nothing",
                    name_of(task->part), task->radius);
    }
    free(after);
}

/* set_mask() and the part refuse job->refused, which changes nothing: the mask that is set stays.
 * The mask that they get is too small for a radius that lab.h does not allow. */
static void refuse_between(struct device_case *c, const struct job *job, struct task task) {
    float mask[MASK_MAX_SIZE];
    const char *why = "which lab.h does not allow";
    const int radius = task.radius = job->refused;
    if (task.part != 'C') {
        device_case_fill_refused(mask, MASK_MAX_SIZE);
        device_case_must_refuse(c, "set_mask", set_mask(mask, radius), "radius", radius, why);
        device_case_must_refuse(c, name_of(task.part), correlate(&task), "radius", radius, why);
        return;
    }
    task.d_out = device_case_input(c, "d_out", job->image, job->image_bytes);
    if (!runner_failed(c->runner)) {
        c->buffer[c->buffers - 1].input = NULL; /* compared here, with words of its own */
        device_case_must_refuse(c, name_of(task.part), correlate(&task), "radius", radius, why);
    }
    if (!runner_failed(c->runner)) {
        see_untouched(c, &task, job->image, job->image_bytes);
    }
}

/* The mask is in memory that is gone once it has been set. */
static bool set_and_free(struct device_case *c, const struct job *job) {
    struct fence mask = fence_copy(job->mask, job->mask_bytes);
    const cudaError_t error = set_mask((const float *)(void *)mask.data, job->task.radius);
    fence_remove(&mask);
    return device_case_called_first(c, "set_mask", error);
}

/* All calls of a case: the mask is set where the part has it in constant memory. */
static void run_part(struct device_case *c, const struct job *job, const struct task *task) {
    if (task->part != 'b') {
        device_case_students_turn(c);
    }
    if (task->part == 'b') {
        device_case_called(c, "baseline_set_mask", baseline_set_mask(job->mask, task->radius));
    } else if (task->part != 'C' && !job->keeps) {
        set_and_free(c, job);
    }
    if (job->smaller_first && !runner_failed(c->runner)) {
        struct task smaller = *task;
        smaller.radius = 1;
        device_case_called(c, name_of(task->part), correlate(&smaller));
    }
    if (job->bad_radius != 0 && !runner_failed(c->runner)) {
        refuse_radius(c, *task, job->bad_radius);
    }
    if (job->refused != 0 && !runner_failed(c->runner)) {
        refuse_between(c, job, *task);
    }
    if (!runner_failed(c->runner)) {
        device_case_called(c, name_of(task->part), correlate(task));
    }
}

static void run_on_device(struct runner *r, const struct job *job, float *out) {
    struct device_case c = {.runner = r};
    struct task task = job->task;

    task.d_image = device_case_input(&c, "d_image", job->image, job->image_bytes);
    task.d_mask = device_case_input(&c, "d_mask", job->mask, job->mask_bytes);
    task.d_out = device_case_output(&c, "d_out", job->image_bytes);
    if (!runner_failed(r)) {
        run_part(&c, job, &task);
    }
    device_case_end(&c, task.d_out, out, job->image_bytes);
}

/* Settings: border = zero | replicate; bad_radius = a radius that the part must refuse, tried
 * between set_mask() and the call that counts; refuse = a radius that set_mask() must refuse, too;
 * first = radius 1: part C is called with that before;
 * mask = kept: that of the step before is not set again. */
void lab_run(struct runner *r) {
    const struct npy *image = runner_input(r, "image", "<f4");
    const struct npy *mask = runner_input(r, "mask", "<f4");
    const char *part = runner_part(r);
    const struct job job = {
        .task =
            {
                .part = part[0],
                .width = image->shape[1],
                .height = image->shape[0],
                .radius = mask->shape[1] / 2,
                .border = runner_border(r),
            },
        .image = image->data,
        .mask = mask->data,
        .image_bytes = image->bytes,
        .mask_bytes = mask->bytes,
        .bad_radius = atoi(runner_setting(r, "bad_radius", "0")),
        .refused = atoi(runner_setting(r, "refuse", "0")),
        .keeps = strcmp(runner_setting(r, "mask", ""), "kept") == 0,
        .smaller_first = part[0] == 'C' && strcmp(runner_setting(r, "first", ""), "radius 1") == 0,
    };

    if (strcmp(part, "baseline") != 0 && (strlen(part) != 1 || strchr("ABCD", part[0]) == NULL)) {
        runner_no_such_part(r);
    }
    if (part[0] != 'C' && job.task.radius > MASK_MAX_RADIUS) {
        our_fault("part %s takes no mask of radius %d", part, job.task.radius);
    }
    run_on_device(r, &job, runner_output(r, "out", image->bytes));
}
