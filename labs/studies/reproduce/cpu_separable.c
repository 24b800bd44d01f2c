/* Source 003 on the CPU: its filter is taken apart into a row and a column (what lab 5 does on a
 * GPU), on one core and shared out with OpenMP. No lab asks for this on a CPU, so it is written
 * here. MASK is the 2-D mask; its middle row and column give the two lines. The border is zero. */
#include "filter.h"

#include <omp.h>
#include <stdlib.h>

struct job {
    struct filter *filter;
    float *between, row[64], column[64];
    int threads;
};

static void pass_rows(const struct job *j) {
    const struct filter *f = j->filter;
    const int r = f->radius;

#pragma omp parallel for schedule(static) num_threads(j->threads)
    for (int y = 0; y < f->height; y++) {
        const float *restrict line = f->image + (size_t)y * (size_t)f->width;
        float *restrict sum = j->between + (size_t)y * (size_t)f->width;
        for (int x = 0; x < f->width; x++) {
            sum[x] = 0.0f;
        }
        for (int a = -r; a <= r; a++) {
            const int first = a < 0 ? -a : 0;
            const int end = a > 0 ? f->width - a : f->width;
            for (int x = first; x < end; x++) {
                sum[x] += j->row[a + r] * line[x + a];
            }
        }
    }
}

static void pass_columns(const struct job *j) {
    const struct filter *f = j->filter;
    const int r = f->radius;

#pragma omp parallel for schedule(static) num_threads(j->threads)
    for (int y = 0; y < f->height; y++) {
        float *restrict sum = f->out + (size_t)y * (size_t)f->width;
        for (int x = 0; x < f->width; x++) {
            sum[x] = 0.0f;
        }
        for (int b = -r; b <= r; b++) {
            if (y + b < 0 || y + b >= f->height) {
                continue;
            }
            const float *restrict line = j->between + (size_t)(y + b) * (size_t)f->width;
            for (int x = 0; x < f->width; x++) {
                sum[x] += j->column[b + r] * line[x];
            }
        }
    }
}

static void work(void *context) {
    pass_rows(context);
    pass_columns(context);
}

int main(int argc, char **argv) {
    struct filter f = filter_open(argc, argv);
    struct job job = {.filter = &f, .between = timing_alloc(f.image_bytes)};
    const int size = 2 * f.radius + 1;
    const float middle = f.mask[f.radius * size + f.radius];

    if (size > 64 || middle == 0.0f || f.border != BORDER_ZERO) {
        timing_fail("a mask of at most 63x63 with a middle, and a zero border");
    }
    for (int i = 0; i < size; i++) { /* g(a, b) = row(a) column(b), the middle counted once */
        job.row[i] = f.mask[f.radius * size + i];
        job.column[i] = f.mask[i * size + f.radius] / middle;
    }
    job.threads = 1;
    filter_poison(&f);
    timing_cpu("separable", f.limit, work, &job);
    filter_save(&f, "separable");

    job.threads = omp_get_max_threads();
    filter_poison(&f);
    timing_cpu("separable_openmp", f.limit, work, &job);
    filter_save(&f, "separable_openmp");

    free(job.between);
    filter_close(&f);
    return 0;
}
