/* Source 000 on the device: lab 2's kernel, the transfers, and everything together. */
#include "device.h"
#include "lab.h"

static cudaError_t fused(const struct device *d) {
    const struct filter *f = &d->host;
    return correlate_device(d->image, f->width, f->height, d->mask, f->radius, f->border, d->out);
}

static cudaError_t identical(const struct device *d) {
    const struct filter *f = &d->host;
    return correlate_identical(d->image, f->width, f->height, d->mask, f->radius, f->border,
                               d->out);
}

/* Image and mask go there, from pageable memory as in the source. */
static cudaError_t upload(void *context) {
    const struct device *d = context;
    const cudaError_t error =
        cudaMemcpy(d->image, d->host.image, d->host.image_bytes, cudaMemcpyHostToDevice);
    return error != cudaSuccess
               ? error
               : cudaMemcpy(d->mask, d->host.mask, d->host.mask_bytes, cudaMemcpyHostToDevice);
}

static cudaError_t download(void *context) {
    const struct device *d = context;
    return cudaMemcpy(d->host.out, d->out, d->host.image_bytes, cudaMemcpyDeviceToHost);
}

static cudaError_t host(void *context) {
    const struct filter *f = &((struct device *)context)->host;
    return correlate_host(f->image, f->width, f->height, f->mask, f->radius, f->border, f->out);
}

static cudaError_t staged(const struct filter *f, enum host_memory kind) {
    return correlate_staged(kind, f->image, f->width, f->height, f->mask, f->radius, f->border,
                            f->out);
}

static cudaError_t pinned(void *context) {
    return staged(&((struct device *)context)->host, HOST_PINNED);
}

static cudaError_t write_combined(void *context) {
    return staged(&((struct device *)context)->host, HOST_WRITE_COMBINED);
}

int main(int argc, char **argv) {
    static const struct method kernels[] = {{"device", fused}, {"identical", identical}};
    struct device d = device_open(argc, argv);

    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        device_run(&d, &kernels[i]);
    }
    device_time_host("upload", d.host.limit, upload, &d);
    device_time_host("download", d.host.limit, download, &d);
    device_time_host("host", d.host.limit, host, &d);
    device_time_host("staged_pinned", d.host.limit, pinned, &d);
    device_time_host("staged_write_combined", d.host.limit, write_combined, &d);
    device_close(&d);
    return 0;
}
