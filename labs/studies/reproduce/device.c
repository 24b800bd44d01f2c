#include "device.h"

enum { IN_A_ROW = 10 };

void device_check(cudaError_t error, const char *what) {
    if (error != cudaSuccess) {
        timing_fail("%s: %s (%s)", what, cudaGetErrorName(error), cudaGetErrorString(error));
    }
}

struct device device_open(int argc, char **argv) {
    struct device d = {.host = filter_open(argc, argv)};
    const size_t bytes = d.host.image_bytes;

    device_check(cudaMalloc((void **)&d.image, bytes), "cudaMalloc");
    device_check(cudaMalloc((void **)&d.mask, d.host.mask_bytes), "cudaMalloc");
    device_check(cudaMalloc((void **)&d.between, bytes), "cudaMalloc");
    device_check(cudaMalloc((void **)&d.out, bytes), "cudaMalloc");
    device_check(cudaMemcpy(d.image, d.host.image, bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
    device_check(cudaMemcpy(d.mask, d.host.mask, d.host.mask_bytes, cudaMemcpyHostToDevice),
                 "cudaMemcpy");
    return d;
}

void device_close(struct device *d) {
    cudaFree(d->image);
    cudaFree(d->mask);
    cudaFree(d->between);
    cudaFree(d->out);
    filter_close(&d->host);
}

struct bound {
    const struct method *method;
    const struct device *device;
};

static cudaError_t launch_bound(void *context) {
    const struct bound *b = context;
    return b->method->launch(b->device);
}

void device_run(struct device *d, const struct method *method) {
    struct bound bound = {method, d};
    const size_t bytes = d->host.image_bytes;

    device_check(cudaMemset(d->out, 0xff, bytes), "cudaMemset");
    device_check(method->launch(d), method->row);
    device_check(cudaMemcpy(d->host.out, d->out, bytes, cudaMemcpyDeviceToHost), method->row);
    filter_save(&d->host, method->row);
    device_time(method->row, d->host.limit, launch_bound, &bound);
}

void device_time(const char *row, struct limit limit, cudaError_t (*launch)(void *),
                 void *context) {
    double seconds[TIMING_MAX_RUNS];
    int count = 0;
    cudaEvent_t start, stop;

    if (limit.runs == 0) {
        return;
    }
    device_check(cudaEventCreate(&start), "cudaEventCreate");
    device_check(cudaEventCreate(&stop), "cudaEventCreate");
    device_check(launch(context), row); /* the first loads the code */
    device_check(cudaDeviceSynchronize(), row);

    const double begin = timing_now();
    while (count < limit.runs && (count == 0 || timing_now() - begin < limit.seconds)) {
        float milliseconds;
        device_check(cudaEventRecord(start, NULL), row);
        for (int i = 0; i < IN_A_ROW; i++) {
            device_check(launch(context), row);
        }
        device_check(cudaEventRecord(stop, NULL), row);
        device_check(cudaEventSynchronize(stop), row);
        device_check(cudaEventElapsedTime(&milliseconds, start, stop), row);
        seconds[count++] = (double)milliseconds * 1e-3 / IN_A_ROW;
    }
    cudaEventDestroy(start);
    cudaEventDestroy(stop);
    timing_print(row, seconds, count);
}

void device_time_host(const char *row, struct limit limit, cudaError_t (*call)(void *),
                      void *context) {
    double seconds[TIMING_MAX_RUNS];
    int count = 0;

    if (limit.runs == 0) {
        return;
    }
    device_check(call(context), row);
    const double begin = timing_now();
    while (count < limit.runs && (count == 0 || timing_now() - begin < limit.seconds)) {
        device_check(cudaDeviceSynchronize(), row);
        const double start = timing_now();
        device_check(call(context), row);
        device_check(cudaDeviceSynchronize(), row);
        seconds[count++] = timing_now() - start;
    }
    timing_print(row, seconds, count);
}
