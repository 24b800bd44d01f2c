/* From one case of the runner to the calls of the student's functions. */
#include "lab.h"
#include "runner/runner.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NO_SUCH_PART = -1, WRONG_SHAPE = -2, WRONG_SEPARATION = -3 };
enum { ROWS, COLUMNS, BOTH, FUSED, BASELINE };

/* One case, as it came from the runner: pointers of the host. */
struct job {
    int work;
    const float *image;
    size_t image_bytes;
    int width, height, radius;
    enum border border;
    float column[LINE_MAX_LENGTH], row[LINE_MAX_LENGTH], plane[MASK_MAX_SIZE];
    const char *refuse; /* a mask that separate() must refuse first, or "" */
};

static char wrong_separation[320]; /* what lab_error() says of WRONG_SEPARATION */

/* From here on the calls are the student's: a failure that the grader asked for starts counting. */
static void students_turn(void) {
#ifdef CONVLABS_SIM
    sim_inject_arm();
#endif
}

/* ---- the answers of separate() ---- */

static double at(const float *mask, int radius, int a, int b) {
    return (double)mask[(b + radius) * (2 * radius + 1) + (a + radius)];
}

/* Do these four coefficients break lab.h's condition? */
static int contradicts(const float *mask, int radius, const struct contradiction *c) {
    if (abs(c->a) > radius || abs(c->b) > radius || abs(c->p) > radius || abs(c->q) > radius) {
        return 0;
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

/* Writes `before` and the two products of c into wrong_separation. */
static void say(const char *before, const float *mask, int radius, struct contradiction c) {
    int n = snprintf(wrong_separation, sizeof wrong_separation,
                     "%s: g(%d, %d) g(%d, %d) and g(%d, %d) g(%d, %d)", before, c.a, c.b, c.p, c.q,
                     c.p, c.b, c.a, c.q);
    if (n < 0 || (size_t)n >= sizeof wrong_separation) {
        return;
    }
    const size_t left = sizeof wrong_separation - (size_t)n;
    if (abs(c.a) > radius || abs(c.b) > radius || abs(c.p) > radius || abs(c.q) > radius) {
        snprintf(wrong_separation + n, left, ", not all of which are in the mask");
    } else {
        snprintf(wrong_separation + n, left, " are %.9g and %.9g",
                 at(mask, radius, c.a, c.b) * at(mask, radius, c.p, c.q),
                 at(mask, radius, c.p, c.b) * at(mask, radius, c.a, c.q));
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

/* Does separate() refuse job->refuse, with four coefficients that show why? */
static int refuses(const char *name) {
    static float mask[MASK_MAX_SIZE];
    float column[LINE_MAX_LENGTH], row[LINE_MAX_LENGTH];
    struct contradiction why = {MASK_MAX_RADIUS + 1, 0, 0, 0};
    const int radius = inseparable(name, mask);
    if (radius < 0) {
        snprintf(wrong_separation, sizeof wrong_separation, "no mask '%s' to refuse", name);
        return 0;
    }
    if (separate(mask, radius, column, row, &why) != NOT_SEPARABLE) {
        say("SEPARABLE for a mask that is not", mask, radius, some_contradiction(mask, radius));
        return 0;
    }
    if (!contradicts(mask, radius, &why)) {
        say("NOT_SEPARABLE, as it should, with a reason that is none", mask, radius, why);
        return 0;
    }
    return 1;
}

/* The student's lines of job->plane, which is separable. */
static int lines_of_plane(struct job *job) {
    const int radius = job->radius, size = 2 * radius + 1;
    struct contradiction why = {MASK_MAX_RADIUS + 1, 0, 0, 0};
    if (separate(job->plane, radius, job->column, job->row, &why) != SEPARABLE) {
        say("NOT_SEPARABLE for a mask that is, because", job->plane, radius, why);
        return 0;
    }
    for (int b = -radius; b <= radius; b++) {
        for (int a = -radius; a <= radius; a++) {
            const double product = (double)job->column[b + radius] * (double)job->row[a + radius];
            const double g = (double)job->plane[(b + radius) * size + (a + radius)];
            if (!(fabs(product - g) <= SEPARABLE_TOLERANCE * fabs(g))) {
                snprintf(wrong_separation, sizeof wrong_separation,
                         "lines that do not make the mask: column(%d) row(%d) is %.9g, g(%d, %d) "
                         "is %.9g",
                         b, a, product, a, b, g);
                return 0;
            }
        }
    }
    return 1;
}

/* ---- on the device ---- */

static cudaError_t run_work(struct job *job, const float *d_image, float *d_between, float *d_out) {
    const int width = job->width, height = job->height, radius = job->radius;

    if (job->work == BASELINE) {
        const cudaError_t error = baseline_set_mask(job->plane, radius);
        return error != cudaSuccess
                   ? error
                   : baseline_correlate(d_image, width, height, radius, job->border, d_out);
    }
    if (job->refuse[0] != '\0' && !refuses(job->refuse)) {
        return (cudaError_t)WRONG_SEPARATION;
    }
    if (job->work == BOTH && !lines_of_plane(job)) {
        return (cudaError_t)WRONG_SEPARATION;
    }
    students_turn();
    const cudaError_t error = set_lines(job->column, job->row, radius);
    if (error != cudaSuccess) {
        return error;
    }
    switch (job->work) {
    case ROWS:
        return correlate_rows(d_image, width, height, radius, job->border, d_out);
    case COLUMNS:
        return correlate_columns(d_image, width, height, radius, job->border, d_out);
    case BOTH:
        return correlate_separable(d_image, width, height, radius, job->border, d_between, d_out);
    default:
        return correlate_fused(d_image, width, height, radius, job->border, d_out);
    }
}

/* Device memory and copies are ours, d_between and d_out start as NaN. `out` is of the host. */
static cudaError_t run_on_device(struct job *job, float *out) {
    float *d_image = NULL, *d_between = NULL, *d_out = NULL;
    cudaError_t error = cudaMalloc((void **)&d_image, job->image_bytes);

    if (error == cudaSuccess) {
        error = cudaMalloc((void **)&d_between, job->image_bytes);
    }
    if (error == cudaSuccess) {
        error = cudaMalloc((void **)&d_out, job->image_bytes);
    }
    if (error == cudaSuccess) {
        error = cudaMemcpy(d_image, job->image, job->image_bytes, cudaMemcpyHostToDevice);
    }
#ifndef CONVLABS_SIM /* whose memory is NaN from the start, and known to be unwritten */
    if (error == cudaSuccess) {
        error = cudaMemset(d_between, 0xff, job->image_bytes);
    }
    if (error == cudaSuccess) {
        error = cudaMemset(d_out, 0xff, job->image_bytes);
    }
#endif
    if (error == cudaSuccess) {
        error = run_work(job, d_image, d_between, d_out);
    }
    if (error == cudaSuccess) {
        error = cudaDeviceSynchronize();
    }
    if (error == cudaSuccess) {
        error = cudaMemcpy(out, d_out, job->image_bytes, cudaMemcpyDeviceToHost);
    }
    cudaFree(d_image);
    cudaFree(d_between);
    cudaFree(d_out);
    return error;
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
 * row, 2 x n (part C and the baseline). Settings: border = zero | replicate; refuse = a mask that
 * separate() must refuse first. */
int lab_run(struct runner *r) {
    const struct npy *image = runner_input(r, "image", "<f4");
    const struct npy *mask = runner_input(r, "mask", "<f4");
    const char *part = runner_part(r);
    struct job job = {
        .image = image->data,
        .image_bytes = image->bytes,
        .width = image->shape[1],
        .height = image->shape[0],
        .border = strcmp(runner_setting(r, "border", "zero"), "zero") == 0 ? BORDER_ZERO
                                                                           : BORDER_REPLICATE,
        .refuse = runner_setting(r, "refuse", ""),
    };

    if (strcmp(part, "baseline") != 0 && (strlen(part) != 1 || strchr("ABC", part[0]) == NULL)) {
        return NO_SUCH_PART;
    }
    if (mask->ndim != 2 || (job.work = work_of(part, mask->shape[0], mask->shape[1])) < 0) {
        return WRONG_SHAPE;
    }
    job.radius = mask->shape[job.work == COLUMNS ? 0 : 1] / 2;
    read_mask(&job, mask->data);
    return (int)run_on_device(&job, runner_output(r, "out", image->bytes));
}

const char *lab_error(int returned) {
    switch (returned) {
    case NO_SUCH_PART:
        return "no such part";
    case WRONG_SHAPE:
        return "a mask of the wrong shape for the part";
    case WRONG_SEPARATION:
        return wrong_separation;
    default:
        return cudaGetErrorName((cudaError_t)returned);
    }
}
