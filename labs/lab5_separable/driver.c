/* From one case of the runner to the calls of the student's functions. */
#include "evidence/our_fault.h"
#include "lab.h"
#include "runner/device_case.h"
#include "runner/fence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS, COLUMNS, BOTH, FUSED, BASELINE };

/* One case, as it came from the runner: pointers of the host. */
struct job {
    int work;
    const float *image;
    size_t image_bytes;
    int width, height, radius;
    enum border border;
    float column[LINE_MAX_LENGTH], row[LINE_MAX_LENGTH], plane[MASK_MAX_SIZE];
    const char *refuse;  /* a mask that separate() must refuse first, or "" */
    int bad_radius;      /* that set_lines() must refuse after the lines are set; 0: none */
    bool is_inseparable; /* part B: the mask itself must be refused, and nothing else is called */
    bool keeps;          /* the lines of the step before: they are not set again */
};

/* ---- the answers of separate() ---- */

static double at(const float *mask, int radius, int a, int b) {
    return (double)mask[(b + radius) * (2 * radius + 1) + (a + radius)];
}

static bool in_mask(int radius, const struct contradiction *c) {
    return abs(c->a) <= radius && abs(c->b) <= radius && abs(c->p) <= radius && abs(c->q) <= radius;
}

/* Do these four coefficients break lab.h's condition? */
static bool contradicts(const float *mask, int radius, const struct contradiction *c) {
    if (!in_mask(radius, c)) {
        return false;
    }
    const double one = at(mask, radius, c->a, c->b) * at(mask, radius, c->p, c->q);
    const double other = at(mask, radius, c->p, c->b) * at(mask, radius, c->a, c->q);
    return fabs(one - other) > SEPARABLE_TOLERANCE * fabs(one);
}

/* Any four that do; the middle of the mask stands in when there are none. */
static struct contradiction some_contradiction(const float *mask, int radius) {
    struct contradiction c;
    for (c.b = -radius; c.b <= radius; c.b++) {
        for (c.a = -radius; c.a <= radius; c.a++) {
            for (c.q = -radius; c.q <= radius; c.q++) {
                for (c.p = -radius; c.p <= radius; c.p++) {
                    if (contradicts(mask, radius, &c)) {
                        return c;
                    }
                }
            }
        }
    }
    return (struct contradiction){0, 0, 0, 0};
}

/* separate() was wrong: the message says what it returned, and the two products of c. */
static void reject(struct runner *r, const char *what, const float *mask, int radius,
                   struct contradiction c) {
    if (in_mask(radius, &c)) {
        runner_fail(r, RUNNER_REJECTED,
                    "%s: g(%d, %d) g(%d, %d) = %.9g and g(%d, %d) g(%d, %d) = %.9g", what, c.a, c.b,
                    c.p, c.q, at(mask, radius, c.a, c.b) * at(mask, radius, c.p, c.q), c.p, c.b,
                    c.a, c.q, at(mask, radius, c.p, c.b) * at(mask, radius, c.a, c.q));
    } else {
        runner_fail(r, RUNNER_REJECTED,
                    "%s: g(%d, %d), g(%d, %d), g(%d, %d) or g(%d, %d) is outside the mask, whose "
                    "radius is %d",
                    what, c.a, c.b, c.p, c.q, c.p, c.b, c.a, c.q, radius);
    }
}

/* The masks that are not separable, by name. Returns the radius, -1 for an unknown name. */
static int inseparable(const char *name, float *mask) {
    if (strcmp(name, "ando5") == 0) {
        memcpy(mask, mask_ando5, sizeof mask_ando5);
        return 2;
    }
    if (strcmp(name, "random13") == 0) {
        mask_random(6, 1, mask);
        return 6;
    }
    if (strcmp(name, "nearly") == 0) { /* a Gaussian with one coefficient off by a thousandth */
        mask_gaussian(8, 3.0, mask);
        mask[7 * 17 + 10] *= 1.001f;
        return 8;
    }
    if (strcmp(name, "barely") == 0) { /* the smallest is off by 42 u: the tolerance is 16 u */
        mask_gaussian(8, 3.0, mask);
        mask[16 * 17] *= 1.0000025f;
        return 8;
    }
    if (strcmp(name, "diagonal") == 0) {
        memset(mask, 0, 25 * sizeof *mask);
        for (int i = 0; i < 5; i++) {
            mask[i * 5 + i] = 1.0f;
        }
        return 2;
    }
    return -1;
}

/* Calls separate() with lines of just the length that it may write, and a mask of its own. Fails if
 * it wrote elsewhere. `column` and `row`: LINE_MAX_LENGTH floats. */
static enum separation call_separate(struct runner *r, const float *mask, int radius, float *column,
                                     float *row, struct contradiction *why) {
    const size_t size = 2 * (size_t)radius + 1, bytes = size * sizeof(float);
    struct fence plane = fence_copy(mask, size * bytes);
    struct fence lines[2] = {fence_make(bytes, sizeof(float), false),
                             fence_make(bytes, sizeof(float), false)};
    float *const data[2] = {(float *)(void *)lines[0].data, (float *)(void *)lines[1].data};

    runner_calls_student();
    const enum separation answer =
        separate((const float *)(void *)plane.data, radius, data[0], data[1], why);
    for (int i = 0; i < 2; i++) {
        if (fence_broken_after(&lines[i])) {
            runner_fail(
                r, RUNNER_REJECTED,
                "separate() wrote past the end of %s, which has 2 * radius + 1 = %zu floats",
                i == 0 ? "h_column" : "h_row", size);
        }
    }
    if (memcmp(plane.data, mask, size * bytes) != 0) {
        runner_fail(r, RUNNER_REJECTED, "separate() changed `h_mask`, which is an input");
    }
    memcpy(column, data[0], bytes);
    memcpy(row, data[1], bytes);
    fence_remove(&plane);
    fence_remove(&lines[0]);
    fence_remove(&lines[1]);
    return answer;
}

/* separate() must refuse this mask, with four coefficients that show why. */
static void refuse(struct runner *r, const float *mask, int radius) {
    float column[LINE_MAX_LENGTH], row[LINE_MAX_LENGTH];
    struct contradiction why = {MASK_MAX_RADIUS + 1, 0, 0, 0};
    const enum separation answer = call_separate(r, mask, radius, column, row, &why);
    if (runner_failed(r)) {
        return;
    }
    if (answer != NOT_SEPARABLE) {
        reject(r, "separate() returned SEPARABLE for a mask that is not separable", mask, radius,
               some_contradiction(mask, radius));
    } else if (!contradicts(mask, radius, &why)) {
        const struct contradiction centred = {why.a - radius, why.b - radius, why.p - radius,
                                              why.q - radius};
        const char *const text =
            contradicts(mask, radius, &centred)
                ? "separate() rightly returned NOT_SEPARABLE, but it counts the indices in `why` "
                  "from 0, and lab.h from -radius: subtract the radius from each"
                : "separate() rightly returned NOT_SEPARABLE, but what it wrote to `why` is no "
                  "contradiction";
        reject(r, text, mask, radius, why);
    }
}

static void refuse_mask(struct runner *r, const char *name) {
    static float mask[MASK_MAX_SIZE];
    const int radius = inseparable(name, mask);
    if (radius < 0) {
        our_fault("there is no mask '%s' to refuse", name);
    }
    refuse(r, mask, radius);
}

/* The student's lines of job->plane, which is separable. */
static void find_lines(struct runner *r, struct job *job) {
    const int radius = job->radius, size = 2 * radius + 1;
    struct contradiction why = {MASK_MAX_RADIUS + 1, 0, 0, 0};
    const enum separation answer =
        call_separate(r, job->plane, radius, job->column, job->row, &why);
    if (runner_failed(r)) {
        return;
    }
    if (answer != SEPARABLE) {
        reject(r, "separate() returned NOT_SEPARABLE for a separable mask, with this in `why`",
               job->plane, radius, why);
        return;
    }
    for (int b = -radius; b <= radius; b++) {
        for (int a = -radius; a <= radius; a++) {
            const double product = (double)job->column[b + radius] * (double)job->row[a + radius];
            const double g = (double)job->plane[(b + radius) * size + (a + radius)];
            if (!(fabs(product - g) <= SEPARABLE_TOLERANCE * fabs(g))) {
                runner_fail(
                    r, RUNNER_REJECTED,
                    "separate() found lines that do not make the mask: column(%d) row(%d) = "
                    "%.9g, but g(%d, %d) = %.9g",
                    b, a, product, a, b, g);
                return;
            }
        }
    }
}

/* ---- on the device ---- */

/* The call that the work is. */
static void correlate(struct device_case *c, const struct job *job, const float *d_image,
                      float *d_between, float *d_out) {
    const int width = job->width, height = job->height, radius = job->radius;
    const enum border border = job->border;

    switch (job->work) {
    case ROWS:
        device_case_called(c, "correlate_rows",
                           correlate_rows(d_image, width, height, radius, border, d_out));
        break;
    case COLUMNS:
        device_case_called(c, "correlate_columns",
                           correlate_columns(d_image, width, height, radius, border, d_out));
        break;
    case BOTH:
        device_case_called(
            c, "correlate_separable",
            correlate_separable(d_image, width, height, radius, border, d_between, d_out));
        break;
    case FUSED:
        device_case_called(c, "correlate_fused",
                           correlate_fused(d_image, width, height, radius, border, d_out));
        break;
    default:
        device_case_called(c, "baseline_correlate",
                           baseline_correlate(d_image, width, height, radius, border, d_out));
    }
}

/* set_lines() refuses that radius, which changes nothing: the lines that are set stay. */
static void refuse_radius(struct device_case *c, int radius) {
    float line[LINE_MAX_LENGTH];
    device_case_fill_refused(line, LINE_MAX_LENGTH);
    device_case_must_refuse(c, "set_lines", set_lines(line, line, radius), "radius", radius,
                            "which lab.h does not allow");
}

/* All calls of a case: separate(), then what copies the lines or the plane, then the launch. */
static void run_work(struct device_case *c, struct job *job, const float *d_image, float *d_between,
                     float *d_out) {
    if (job->work == BASELINE) {
        device_case_called(c, "baseline_set_mask", baseline_set_mask(job->plane, job->radius));
    } else {
        if (job->refuse[0] != '\0') {
            refuse_mask(c->runner, job->refuse);
        }
        if (job->work == BOTH && !runner_failed(c->runner)) {
            find_lines(c->runner, job);
        }
        if (!runner_failed(c->runner)) {
            device_case_students_turn(c);
            if (!job->keeps) {
                device_case_called_first(c, "set_lines",
                                         set_lines(job->column, job->row, job->radius));
            }
        }
        if (job->bad_radius != 0 && !runner_failed(c->runner)) {
            refuse_radius(c, job->bad_radius);
        }
    }
    if (!runner_failed(c->runner)) {
        correlate(c, job, d_image, d_between, d_out);
    }
}

static void run_on_device(struct runner *r, struct job *job, float *out) {
    struct device_case c = {.runner = r};
    const float *d_image = device_case_input(&c, "d_image", job->image, job->image_bytes);
    float *d_between = device_case_between(&c, "d_between", job->image_bytes);
    float *d_out = device_case_output(&c, "d_out", job->image_bytes);

    if (!runner_failed(r) && job->is_inseparable) {
        refuse(r, job->plane, job->radius);
        d_out = NULL; /* nothing is computed */
    } else if (!runner_failed(r)) {
        run_work(&c, job, d_image, d_between, d_out);
    }
    device_case_end(&c, d_out, out, job->image_bytes);
}

/* ---- from the runner's arrays ---- */

/* What the part does with a mask of this shape, rows x columns; -1 when it does not fit. */
static int work_of(const char *part, int rows, int columns) {
    const int largest = rows > columns ? rows : columns;
    if (largest > LINE_MAX_LENGTH || (rows != 2 && largest % 2 == 0)) {
        return -1;
    }
    if (strcmp(part, "A") == 0) {
        return rows == 1 ? ROWS : -1;
    }
    if (strcmp(part, "B") == 0) {
        return columns == 1 && rows > 1 ? COLUMNS : rows == columns ? BOTH : -1;
    }
    if (rows != 2 || columns % 2 == 0) {
        return -1;
    }
    return strcmp(part, "C") == 0 ? FUSED : BASELINE;
}

/* Fills the lines and the plane of the job. A line that the work does not use is a lone 1. */
static void read_mask(struct job *job, const float *mask) {
    const size_t bytes = (size_t)(2 * job->radius + 1) * sizeof *mask;
    const int size = 2 * job->radius + 1;
    job->column[job->radius] = job->row[job->radius] = 1.0f;
    if (job->work == ROWS) {
        memcpy(job->row, mask, bytes);
    } else if (job->work == COLUMNS) {
        memcpy(job->column, mask, bytes);
    } else if (job->work == BOTH) {
        memcpy(job->plane, mask, bytes * (size_t)size);
    } else {
        memcpy(job->column, mask, bytes);
        memcpy(job->row, mask + size, bytes);
        for (int i = 0; i < size * size; i++) {
            job->plane[i] = job->column[i / size] * job->row[i % size];
        }
    }
}

/* The mask is one line (1 x n for part A, n x 1 for part B), a plane (part B), or a column and a
 * row, 2 x n (part C and the baseline). Settings: border = zero | replicate; refuse_mask = a mask
 * that separate() must refuse first; separable = no: it must refuse the mask, in the only call;
 * refuse = a radius that set_lines() must refuse after the lines are set;
 * mask = kept: the lines of the step before are not set again. */
void lab_run(struct runner *r) {
    const struct npy *image = runner_input(r, "image", "<f4");
    const struct npy *mask = runner_input(r, "mask", "<f4");
    const char *part = runner_part(r);
    struct job job = {
        .image = image->data,
        .image_bytes = image->bytes,
        .width = image->shape[1],
        .height = image->shape[0],
        .border = runner_border(r),
        .refuse = runner_setting(r, "refuse_mask", ""),
        .bad_radius = atoi(runner_setting(r, "refuse", "0")),
        .is_inseparable = strcmp(runner_setting(r, "separable", "yes"), "no") == 0,
        .keeps = strcmp(runner_setting(r, "mask", ""), "kept") == 0,
    };

    if (strcmp(part, "baseline") != 0 && (strlen(part) != 1 || strchr("ABC", part[0]) == NULL)) {
        runner_no_such_part(r);
    }
    if (mask->ndim != 2 || (job.work = work_of(part, mask->shape[0], mask->shape[1])) < 0) {
        our_fault("part %s takes no mask of this shape", part);
    }
    job.radius = mask->shape[job.work == COLUMNS ? 0 : 1] / 2;
    read_mask(&job, mask->data);
    run_on_device(r, &job, runner_output(r, "out", image->bytes));
}
