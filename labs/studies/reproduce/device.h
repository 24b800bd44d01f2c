/* Kernels on a device: timed with events, and their results fetched. */
#ifndef CONVLABS_REPRODUCE_DEVICE_H
#define CONVLABS_REPRODUCE_DEVICE_H

#include "filter.h"

#include <cuda_runtime_api.h>

/* A filter with its buffers on the device. */
struct device {
    struct filter host;
    float *image, *mask, *between, *out;
};

/* One way to compute host.out: launches and returns what the lab's function returned. */
struct method {
    const char *row;
    cudaError_t (*launch)(const struct device *d);
};

/* Ends the process with a message unless `error` is cudaSuccess. */
void device_check(cudaError_t error, const char *what);

/* Reads the command line of filter.h, allocates and copies. */
struct device device_open(int argc, char **argv);

/* Runs the method once into poisoned memory and saves the result; then times it. */
void device_run(struct device *d, const struct method *method);

void device_close(struct device *d);

/* Times `launch(context)` with events and prints the row: seconds of one launch, from 10 in a row,
 * so that the gaps between launches are in it and the wait for the first is not. */
void device_time(const char *row, struct limit limit, cudaError_t (*launch)(void *), void *context);

/* Times `call(context)` with the host's clock, the device idle before and after; for calls that
 * copy and wait. */
void device_time_host(const char *row, struct limit limit, cudaError_t (*call)(void *),
                      void *context);

#endif
