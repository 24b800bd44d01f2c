/* From one case of the runner to the calls of the student's functions. */
#include "lab.h"
#include "our_fault.h"
#include "runner/device_case.h"

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
    free(zeros);
    if (!runner_failed(c->runner)) {
        device_case_must_refuse(c, name_of(task.part), correlate(&task), "radius", radius,
                                "which lab.h does not allow");
    }
}

/* All calls of a case: the mask is set where the part has it in constant memory. */
static void run_part(struct device_case *c, const struct job *job, const struct task *task) {
    if (task->part == 'b') {
        device_case_called(c, "baseline_set_mask", baseline_set_mask(job->mask, task->radius));
    } else if (task->part != 'C') {
        device_case_called(c, "set_mask", set_mask(job->mask, task->radius));
    }
    if (job->smaller_first && !runner_failed(c->runner)) {
        struct task smaller = *task;
        smaller.radius = 1;
        device_case_called(c, name_of(task->part), correlate(&smaller));
    }
    if (job->bad_radius != 0 && !runner_failed(c->runner)) {
        refuse_radius(c, *task, job->bad_radius);
    }
    if (!runner_failed(c->runner)) {
        device_case_students_turn();
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
 * between set_mask() and the call that counts;
 * first = radius 1: part C is called with that before. */
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
