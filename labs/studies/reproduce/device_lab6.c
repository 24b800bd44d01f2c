/* Source 003's convolutionSeparable: lab 6's two passes, step by step. MASK is the 2-D mask; its
 * middle row and column give the two lines. */
#include "device.h"
#include "lab.h"

static cudaError_t given(const struct device *d) {
    const struct filter *f = &d->host;
    return baseline_filter(d->image, f->width, f->height, f->radius, f->border, d->between, d->out);
}

static cudaError_t coalesced(const struct device *d) {
    const struct filter *f = &d->host;
    return filter_coalesced(d->image, f->width, f->height, f->radius, f->border, d->between,
                            d->out);
}

static cudaError_t conflict_free(const struct device *d) {
    const struct filter *f = &d->host;
    return filter_conflict_free(d->image, f->width, f->height, f->radius, f->border, d->between,
                                d->out);
}

static cudaError_t vectorised(const struct device *d) {
    const struct filter *f = &d->host;
    return filter_vectorised(d->image, f->width, f->height, f->radius, f->border, d->between,
                             d->out);
}

int main(int argc, char **argv) {
    static const struct method kernels[] = {{"uncoalesced", given},
                                            {"coalesced", coalesced},
                                            {"conflict_free", conflict_free},
                                            {"vectorised", vectorised}};
    struct device d = device_open(argc, argv);
    const int radius = d.host.radius, size = 2 * radius + 1;
    float column[LINE_MAX_LENGTH], row[LINE_MAX_LENGTH];

    if (radius > MASK_MAX_RADIUS || d.host.mask[radius * size + radius] == 0.0f) {
        timing_fail("%s: radius 0 to %d, and a middle that is not 0", argv[2], MASK_MAX_RADIUS);
    }
    for (int i = 0; i < size; i++) {
        row[i] = d.host.mask[radius * size + i];
        column[i] = d.host.mask[i * size + radius] / d.host.mask[radius * size + radius];
    }
    device_check(baseline_set_lines(column, row, radius), "baseline_set_lines");
    device_check(set_lines(column, row, radius), "set_lines");
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        device_run(&d, &kernels[i]);
    }
    device_close(&d);
    return 0;
}
