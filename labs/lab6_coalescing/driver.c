/* From one case of the runner to the calls of the student's functions. */
#include "evidence/our_fault.h"
#include "lab.h"
#include "runner/device_case.h"

#include <stdlib.h>
#include <string.h>

typedef cudaError_t set_function(const float *h_column, const float *h_row, int radius);
typedef cudaError_t filter_function(const float *d_image, int width, int height, int radius,
                                    enum border border, float *d_between, float *d_out);

/* What a part calls. */
struct part {
    const char *name, *set_name, *filter_name;
    set_function *set;
    filter_function *filter;
};

static const struct part parts[] = {
    {"A", "set_lines", "filter_coalesced", set_lines, filter_coalesced},
    {"B", "set_lines", "filter_conflict_free", set_lines, filter_conflict_free},
    {"C", "set_lines", "filter_vectorised", set_lines, filter_vectorised},
    {"baseline", "baseline_set_lines", "baseline_filter", baseline_set_lines, baseline_filter},
};

/* One case, as it came from the runner: pointers of the host. */
struct job {
    const struct part *part;
    const float *image, *column, *row;
    size_t image_bytes;
    int width, height, radius;
    enum border border;
    int bad_radius; /* that set_lines() must refuse after the lines are set; 0: none */
    bool keeps;     /* the lines of the step before: they are not set again */
};

/* set_lines() refuses that radius, which changes nothing: the lines that are set stay. */
static void refuse_radius(struct device_case *c, int radius) {
    float line[LINE_MAX_LENGTH];
    device_case_fill_refused(line, LINE_MAX_LENGTH);
    device_case_must_refuse(c, "set_lines", set_lines(line, line, radius), "radius", radius,
                            "which lab.h does not allow");
}

static void run_on_device(struct runner *r, const struct job *job, float *out) {
    const struct part *part = job->part;
    struct device_case c = {.runner = r};
    const float *d_image = device_case_input(&c, "d_image", job->image, job->image_bytes);
    float *d_between = device_case_between(&c, "d_between", job->image_bytes);
    float *d_out = device_case_output(&c, "d_out", job->image_bytes);

    if (!runner_failed(r)) {
        device_case_students_turn(&c);
        if (!job->keeps) {
            device_case_called_first(&c, part->set_name,
                                     part->set(job->column, job->row, job->radius));
        }
        if (job->bad_radius != 0 && !runner_failed(r)) {
            refuse_radius(&c, job->bad_radius);
        }
        if (!runner_failed(r)) {
            device_case_called(&c, part->filter_name,
                               part->filter(d_image, job->width, job->height, job->radius,
                                            job->border, d_between, d_out));
        }
    }
    device_case_end(&c, d_out, out, job->image_bytes);
}

/* The mask is 2 x (2r+1): the column, then the row. Settings: border = zero | replicate; mask =
 * kept: the lines of the step before are not set again; refuse = a radius that set_lines() must
 * refuse after the lines are set. */
void lab_run(struct runner *r) {
    const struct npy *image = runner_input(r, "image", "<f4");
    const struct npy *mask = runner_input(r, "mask", "<f4");
    const struct part *part = NULL;

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (strcmp(parts[i].name, runner_part(r)) == 0) {
            part = &parts[i];
        }
    }
    if (part == NULL) {
        runner_no_such_part(r);
    }
    if (mask->ndim != 2 || mask->shape[0] != 2 || mask->shape[1] % 2 == 0 ||
        mask->shape[1] > LINE_MAX_LENGTH) {
        our_fault("the mask must be a column and a row of one odd length, at most %d",
                  LINE_MAX_LENGTH);
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
        .border = runner_border(r),
        .bad_radius = atoi(runner_setting(r, "refuse", "0")),
        .keeps = strcmp(runner_setting(r, "mask", ""), "kept") == 0,
    };
    run_on_device(r, &job, runner_output(r, "out", image->bytes));
}
