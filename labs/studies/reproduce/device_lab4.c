/* Sources 003 and 004: lab 4's tiles in shared memory, static and dynamic. */
#include "device.h"
#include "lab.h"

static cudaError_t idle(const struct device *d) {
    const struct filter *f = &d->host;
    return correlate_idle(d->image, f->width, f->height, f->radius, f->border, d->out);
}

static cudaError_t tile(const struct device *d) {
    const struct filter *f = &d->host;
    return correlate_tile(d->image, f->width, f->height, f->radius, f->border, d->out);
}

static cudaError_t dynamic(const struct device *d) {
    const struct filter *f = &d->host;
    return correlate_dynamic(d->image, f->width, f->height, d->mask, f->radius, f->border, d->out);
}

static cudaError_t patch(const struct device *d) {
    const struct filter *f = &d->host;
    return correlate_register(d->image, f->width, f->height, f->radius, f->border, d->out);
}

int main(int argc, char **argv) {
    static const struct method kernels[] = {
        {"idle", idle}, {"tile", tile}, {"dynamic", dynamic}, {"register", patch}};
    struct device d = device_open(argc, argv);

    device_check(set_mask(d.host.mask, d.host.radius), "set_mask");
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        device_run(&d, &kernels[i]);
    }
    device_close(&d);
    return 0;
}
