/* Source 003's "most naive" kernel: lab 3's, the mask in constant memory. */
#include "device.h"
#include "lab.h"

static cudaError_t constant(const struct device *d) {
    const struct filter *f = &d->host;
    return correlate_constant(d->image, f->width, f->height, f->radius, f->border, d->out);
}

int main(int argc, char **argv) {
    static const struct method kernel = {"constant", constant};
    struct device d = device_open(argc, argv);

    device_check(set_mask(d.host.mask, d.host.radius), "set_mask");
    device_run(&d, &kernel);
    device_close(&d);
    return 0;
}
