/* From one case of the runner to the calls of the student's functions. */
#include "evidence/our_fault.h"
#include "lab.h"
#include "runner/device_case.h"
#include "runner/fence.h"

#include <stdlib.h>
#include <string.h>

/* One case, as it came from the runner: pointers of the host. */
struct job {
    bool given, bank; /* given: the baseline is called; bank: the mask is one of PHASES */
    const float *image, *mask;
    size_t image_bytes, mask_bytes;
    int width, height, radius;
    int bad_radius; /* to be refused first; 0: none is tried */
    int refused;    /* to be refused between the two calls; 0: none is tried */
    bool keeps;     /* the mask of the step before: it is not set again */
    enum border border;
};

/* The two functions of a part, by name. */
struct functions {
    const char *set_name, *correlate_name;
    cudaError_t (*set)(const float *h_mask, int radius);
    cudaError_t (*correlate)(const float *d_image, int width, int height, int radius,
                             enum border border, float *d_out);
};

static const struct functions for_mask = {"set_mask", "correlate_constant", set_mask,
                                          correlate_constant};
static const struct functions for_bank = {"set_bank", "correlate_polyphase", set_bank,
                                          correlate_polyphase};
static const struct functions given_for_bank = {"baseline_set_bank", "baseline_polyphase",
                                                baseline_set_bank, baseline_polyphase};

/* Both functions must refuse job->bad_radius. The mask for it is there and all 0. The largest mask
 * is set before, also to zeros: a mask that is copied only once shows afterwards. */
static void refuse_bad_radius(struct device_case *c, const struct functions *f,
                              const struct job *job, const float *d_image, float *d_out) {
    const char *why = "which lab.h does not allow";
    const int radius = job->bad_radius;
    const size_t size = (size_t)(2 * (abs(radius) + MASK_MAX_RADIUS) + 1);
    float *zeros = calloc(PHASES * size * size, sizeof(float));
    if (zeros == NULL) {
        our_fault("not enough memory for a mask of radius %d", radius);
    }
    runner_calls_student();
    if (f->set(zeros, MASK_MAX_RADIUS) == cudaSuccess) { /* else the calls that count say so */
        device_case_must_refuse(c, f->set_name, f->set(zeros, radius), "radius", radius, why);
        device_case_must_refuse(
            c, f->correlate_name,
            f->correlate(d_image, job->width, job->height, radius, job->border, d_out), "radius",
            radius, why);
    }
    free(zeros);
}

/* The mask is in memory that is gone once it has been set: lab.h allows that. */
static bool set_and_free(struct device_case *c, const struct functions *f, const struct job *job) {
    struct fence mask = fence_copy(job->mask, job->mask_bytes);
    const cudaError_t error = f->set((const float *)(void *)mask.data, job->radius);
    fence_remove(&mask);
    return device_case_called_first(c, f->set_name, error);
}

/* Both functions refuse job->refused, which changes nothing: the mask that is set stays. */
static void refuse_between(struct device_case *c, const struct functions *f, const struct job *job,
                           const float *d_image, float *d_out) {
    float mask[PHASES * MASK_MAX_SIZE];
    const char *why = "which lab.h does not allow";
    const int radius = job->refused;
    device_case_fill_refused(mask, PHASES * MASK_MAX_SIZE);
    device_case_must_refuse(c, f->set_name, f->set(mask, radius), "radius", radius, why);
    device_case_must_refuse(
        c, f->correlate_name,
        f->correlate(d_image, job->width, job->height, radius, job->border, d_out), "radius",
        radius, why);
}

/* The mask to constant memory, then the launch. d_mask is for the baseline of part A alone. */
static void run_part(struct device_case *c, const struct job *job, const float *d_image,
                     const float *d_mask, float *d_out) {
    const int width = job->width, height = job->height, radius = job->radius;

    if (job->given && !job->bank) {
        device_case_called(
            c, "baseline_correlate",
            baseline_correlate(d_image, width, height, d_mask, radius, job->border, d_out));
        return;
    }
    const struct functions *f = job->given ? &given_for_bank : job->bank ? &for_bank : &for_mask;
    if (job->bad_radius != 0) {
        refuse_bad_radius(c, f, job, d_image, d_out);
    }
    if (runner_failed(c->runner)) {
        return;
    }
    device_case_students_turn(c);
    if (job->keeps || set_and_free(c, f, job)) {
        if (job->refused != 0) {
            refuse_between(c, f, job, d_image, d_out);
        }
    }
    if (!runner_failed(c->runner)) {
        device_case_called(c, f->correlate_name,
                           f->correlate(d_image, width, height, radius, job->border, d_out));
    }
}

static void run_on_device(struct runner *r, const struct job *job, float *out) {
    struct device_case c = {.runner = r};
    const float *d_image = device_case_input(&c, "d_image", job->image, job->image_bytes);
    const float *d_mask = device_case_input(&c, "d_mask", job->mask, job->mask_bytes);
    float *d_out = device_case_output(&c, "d_out", job->image_bytes);

    if (!runner_failed(r)) {
        run_part(&c, job, d_image, d_mask, d_out);
    }
    device_case_end(&c, d_out, out, job->image_bytes);
}

/* Settings: border = zero | replicate; bad_radius = a radius that both functions must refuse,
 * tried before the calls that count; refuse = a radius that they must refuse between those calls;
 * mask = kept: that of the step before is not set again. */
void lab_run(struct runner *r) {
    const struct npy *image = runner_input(r, "image", "<f4");
    const struct npy *mask = runner_input(r, "mask", "<f4");
    const char *part = runner_part(r);
    const bool given = strcmp(part, "baseline") == 0, bank = mask->ndim == 3;
    const struct job job = {
        .given = given,
        .bank = bank,
        .image = image->data,
        .mask = mask->data,
        .image_bytes = image->bytes,
        .mask_bytes = mask->bytes,
        .width = image->shape[1],
        .height = image->shape[0],
        .radius = mask->shape[mask->ndim - 1] / 2,
        .bad_radius = atoi(runner_setting(r, "bad_radius", "0")),
        .refused = atoi(runner_setting(r, "refuse", "0")),
        .keeps = strcmp(runner_setting(r, "mask", ""), "kept") == 0,
        .border = runner_border(r),
    };

    if (!given && strcmp(part, "A") != 0 && strcmp(part, "B") != 0) {
        runner_no_such_part(r);
    }
    if ((!given && bank != (part[0] == 'B')) || (bank && mask->shape[0] != PHASES)) {
        our_fault("part %s takes no mask of this shape", part);
    }
    run_on_device(r, &job, runner_output(r, "out", image->bytes));
}
