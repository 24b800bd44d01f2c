/* Source 002 on the device: its three layers, lab 7's kernels beside the given ones, in double (as
 * the source) and in float.
 *
 *   device_lab7 CHANNELS HEIGHT WIDTH MASKS RUNS SECONDS
 *
 * Image and weights are noise in -0.5 .. 0.5. For each layer it also prints how far the lab's
 * result is from the given kernel's: the largest difference over the largest magnitude. */
#include "device.h"
#include "lab.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct job {
    int channels, height, width, masks;
    void *image, *weights, *out; /* of the device */
};

typedef cudaError_t layer(void *job);

/* Each function of lab 7 as a layer: depthwise_double becomes run_depthwise_double. */
#define ONE_MASK(name, real)                                                                       \
    static cudaError_t run_##name(void *context) {                                                 \
        const struct job *j = context;                                                             \
        return name((const real *)j->image, j->channels, j->height, j->width,                      \
                    (const real *)j->weights, (real *)j->out);                                     \
    }
#define BANK(name, real)                                                                           \
    static cudaError_t run_##name(void *context) {                                                 \
        const struct job *j = context;                                                             \
        return name((const real *)j->image, j->channels, j->height, j->width,                      \
                    (const real *)j->weights, j->masks, (real *)j->out);                           \
    }
ONE_MASK(depthwise_double, double)
ONE_MASK(depthwise_float, float)
ONE_MASK(baseline_depthwise_double, double)
ONE_MASK(baseline_depthwise_float, float)
BANK(pointwise_double, double)
BANK(pointwise_float, float)
BANK(baseline_pointwise_double, double)
BANK(baseline_pointwise_float, float)
BANK(convolution_double, double)
BANK(convolution_float, float)
BANK(baseline_convolution_double, double)
BANK(baseline_convolution_float, float)

/* Device memory filled with `count` numbers in -0.5 .. 0.5. */
static void *noise(size_t count, size_t element) {
    unsigned char *bytes = timing_alloc(count);
    void *host = timing_alloc(count * element), *device;

    timing_noise(bytes, count);
    for (size_t i = 0; i < count; i++) {
        const double value = (bytes[i] + 0.5) / 256.0 - 0.5;
        if (element == sizeof(double)) {
            ((double *)host)[i] = value;
        } else {
            ((float *)host)[i] = (float)value;
        }
    }
    device_check(cudaMalloc(&device, count * element), "cudaMalloc");
    device_check(cudaMemcpy(device, host, count * element, cudaMemcpyHostToDevice), "cudaMemcpy");
    free(bytes);
    free(host);
    return device;
}

static double number(const void *array, size_t i, size_t element) {
    return element == sizeof(double) ? ((const double *)array)[i] : ((const float *)array)[i];
}

static double distance(const void *a, const void *b, size_t count, size_t element) {
    double worst = 0.0, largest = 0.0;

    for (size_t i = 0; i < count; i++) {
        const double x = number(a, i, element), y = number(b, i, element);
        if (!(fabs(x - y) <= worst)) { /* not-a-number counts as different */
            worst = fabs(x - y);
        }
        largest = fmax(largest, fabs(y));
    }
    return worst / largest;
}

static void run(const char *name, layer *ours, layer *given, struct job *job, size_t out_count,
                size_t element, struct limit limit) {
    const size_t bytes = out_count * element;
    void *ours_out = timing_alloc(bytes), *given_out = timing_alloc(bytes);
    char row[64];

    device_check(cudaMemset(job->out, 0xff, bytes), "cudaMemset");
    device_check(given(job), name);
    device_check(cudaMemcpy(given_out, job->out, bytes, cudaMemcpyDeviceToHost), name);
    device_check(cudaMemset(job->out, 0xff, bytes), "cudaMemset");
    device_check(ours(job), name);
    device_check(cudaMemcpy(ours_out, job->out, bytes, cudaMemcpyDeviceToHost), name);
    snprintf(row, sizeof row, "%s_distance", name);
    timing_value(row, distance(ours_out, given_out, out_count, element));
    free(ours_out);
    free(given_out);

    device_time(name, limit, ours, job);
    snprintf(row, sizeof row, "%s_given", name);
    device_time(row, limit, given, job);
}

int main(int argc, char **argv) {
    if (argc != 7) {
        timing_fail("usage: %s CHANNELS HEIGHT WIDTH MASKS RUNS SECONDS", argv[0]);
    }
    struct job job = {atoi(argv[1]), atoi(argv[2]), atoi(argv[3]), atoi(argv[4]), NULL, NULL, NULL};
    const struct limit limit = timing_limit(argv[5], argv[6]);
    if (job.channels < 1 || job.height < 1 || job.width < 1 || job.masks < 1) {
        timing_fail("channels, height, width and masks are 1 or more");
    }
    const size_t plane = (size_t)job.height * (size_t)job.width;
    const size_t in = plane * (size_t)job.channels, out = plane * (size_t)job.masks;
    const size_t most = in > out ? in : out;
    const size_t weights = (size_t)job.masks * (size_t)job.channels * SIZE * SIZE;

    for (size_t element = sizeof(double); element >= sizeof(float); element -= sizeof(float)) {
        const int wide = element == sizeof(double);
        job.image = noise(in, element);
        job.weights = noise(weights, element);
        device_check(cudaMalloc(&job.out, most * element), "cudaMalloc");
        run(wide ? "depthwise_double" : "depthwise_float",
            wide ? run_depthwise_double : run_depthwise_float,
            wide ? run_baseline_depthwise_double : run_baseline_depthwise_float, &job, in, element,
            limit);
        run(wide ? "pointwise_double" : "pointwise_float",
            wide ? run_pointwise_double : run_pointwise_float,
            wide ? run_baseline_pointwise_double : run_baseline_pointwise_float, &job, out, element,
            limit);
        run(wide ? "convolution_double" : "convolution_float",
            wide ? run_convolution_double : run_convolution_float,
            wide ? run_baseline_convolution_double : run_baseline_convolution_float, &job, out,
            element, limit);
        cudaFree(job.image);
        cudaFree(job.weights);
        cudaFree(job.out);
    }
    return 0;
}
