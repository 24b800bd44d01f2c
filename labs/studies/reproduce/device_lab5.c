/* Source 003's separable filter: lab 5's two passes, and both in one kernel. */
#include "device.h"
#include "lab.h"

static cudaError_t separable(const struct device *d) {
    const struct filter *f = &d->host;
    return correlate_separable(d->image, f->width, f->height, f->radius, f->border, d->between,
                               d->out);
}

static cudaError_t fused(const struct device *d) {
    const struct filter *f = &d->host;
    return correlate_fused(d->image, f->width, f->height, f->radius, f->border, d->out);
}

int main(int argc, char **argv) {
    static const struct method kernels[] = {{"separable", separable}, {"fused", fused}};
    struct device d = device_open(argc, argv);
    float column[LINE_MAX_LENGTH], row[LINE_MAX_LENGTH];
    struct contradiction why;

    if (d.host.radius > MASK_MAX_RADIUS ||
        separate(d.host.mask, d.host.radius, column, row, &why) != SEPARABLE) {
        timing_fail("%s: not a separable mask of radius 0 to %d", argv[2], MASK_MAX_RADIUS);
    }
    device_check(set_lines(column, row, d.host.radius), "set_lines");
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        device_run(&d, &kernels[i]);
    }
    device_close(&d);
    return 0;
}
