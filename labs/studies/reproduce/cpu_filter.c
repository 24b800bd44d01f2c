/* Sources 000 and 003 on the CPU: lab 1's loops, and the version that they beat. */
#include "filter.h"
#include "lab.h"

typedef void correlate(const float *image, int width, int height, const float *mask, int radius,
                       enum border border, float *out);

struct call {
    correlate *function;
    struct filter *filter;
};

static void work(void *context) {
    const struct call *c = context;
    struct filter *f = c->filter;

    c->function(f->image, f->width, f->height, f->mask, f->radius, f->border, f->out);
}

int main(int argc, char **argv) {
    static const struct {
        const char *row;
        correlate *function;
    } methods[] = {
        {"columns", baseline_correlate},
        {"loops", correlate_loops},
        {"rows", correlate_rows},
        {"openmp", correlate_openmp},
    };
    struct filter f = filter_open(argc, argv);

    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        struct call call = {methods[i].function, &f};
        if (!filter_wants(&f, methods[i].row)) {
            continue;
        }
        filter_poison(&f);
        timing_cpu(methods[i].row, f.limit, work, &call);
        filter_save(&f, methods[i].row);
    }
    filter_close(&f);
    return 0;
}
