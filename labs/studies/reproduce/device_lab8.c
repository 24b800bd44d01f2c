/* Source 001 on the device: where the time of a conversion goes, and lab 8's three ways as a whole.
 *
 *   device_lab8 WIDTH HEIGHT RUNS SECONDS
 *
 * The image is noise in pageable memory. */
#include "device.h"
#include "lab_cuda.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNKS = 16 };

struct job {
    int width, height;
    size_t pixels;
    uint8_t *rgb, *grey, *d_rgb, *d_grey;
};

static const struct weights weights = WEIGHTS_601; /* those of source 001 */

static cudaError_t allocation(void *context) {
    struct job *j = context;
    const cudaError_t error = cudaMalloc((void **)&j->d_rgb, 3 * j->pixels);
    return error != cudaSuccess ? error : cudaMalloc((void **)&j->d_grey, j->pixels);
}

static cudaError_t copy_there(void *context) {
    const struct job *j = context;
    return cudaMemcpy(j->d_rgb, j->rgb, 3 * j->pixels, cudaMemcpyHostToDevice);
}

static cudaError_t kernel(void *context) {
    const struct job *j = context;
    return grey_device(j->d_rgb, j->pixels, weights, j->d_grey, NULL);
}

static cudaError_t copy_back(void *context) {
    const struct job *j = context;
    return cudaMemcpy(j->grey, j->d_grey, j->pixels, cudaMemcpyDeviceToHost);
}

static cudaError_t plain(void *context) {
    const struct job *j = context;
    return grey_plain(j->rgb, j->width, j->height, weights, j->grey);
}

static cudaError_t pinned(void *context) {
    const struct job *j = context;
    return grey_pinned(j->rgb, j->width, j->height, weights, j->grey);
}

static cudaError_t streamed(void *context) {
    const struct job *j = context;
    return grey_streamed(j->rgb, j->width, j->height, weights, CHUNKS, j->grey);
}

/* Allocations alone: what one run allocated is freed outside of its time. */
static void time_allocation(struct job *job, struct limit limit) {
    double seconds[TIMING_MAX_RUNS];
    int count = 0;
    const double begin = timing_now();

    while (count < limit.runs && (count == 0 || timing_now() - begin < limit.seconds)) {
        const double start = timing_now();
        device_check(allocation(job), "cudaMalloc");
        seconds[count++] = timing_now() - start;
        device_check(cudaFree(job->d_rgb), "cudaFree");
        device_check(cudaFree(job->d_grey), "cudaFree");
    }
    if (count > 0) {
        timing_print("allocation", seconds, count);
    }
}

/* Ends the process unless `grey` is what the rule of lab 8 gives. */
static void verify(const struct job *j, const char *row) {
    for (size_t i = 0; i < j->pixels; i++) {
        const uint8_t *p = j->rgb + 3 * i;
        const int sum = weights.r * p[0] + weights.g * p[1] + weights.b * p[2];
        if (j->grey[i] != (sum + 16384) >> 15) {
            timing_fail("%s: pixel %zu is %d", row, i, j->grey[i]);
        }
    }
    memset(j->grey, 0, j->pixels);
}

int main(int argc, char **argv) {
    if (argc != 5) {
        timing_fail("usage: %s WIDTH HEIGHT RUNS SECONDS", argv[0]);
    }
    const struct limit limit = timing_limit(argv[3], argv[4]);
    struct job job = {.width = atoi(argv[1]), .height = atoi(argv[2])};
    if (job.width < 1 || job.height < 1) {
        timing_fail("%s x %s pixels", argv[1], argv[2]);
    }
    job.pixels = (size_t)job.width * (size_t)job.height;
    job.rgb = timing_alloc(3 * job.pixels);
    job.grey = timing_alloc(job.pixels);
    timing_noise(job.rgb, 3 * job.pixels);
    memset(job.grey, 0, job.pixels);

    device_check(cudaFree(NULL), "cudaFree"); /* the source's trick: the context is made here */
    time_allocation(&job, limit);
    device_check(allocation(&job), "cudaMalloc");
    device_time_host("copy_there", limit, copy_there, &job);
    device_check(copy_there(&job), "cudaMemcpy");
    device_check(kernel(&job), "grey_device");
    device_time("kernel", limit, kernel, &job);
    device_time_host("copy_back", limit, copy_back, &job);
    device_check(copy_back(&job), "cudaMemcpy");
    verify(&job, "kernel");
    device_check(cudaFree(job.d_rgb), "cudaFree");
    device_check(cudaFree(job.d_grey), "cudaFree");

    device_check(plain(&job), "plain");
    verify(&job, "plain");
    device_time_host("plain", limit, plain, &job);
    device_check(pinned(&job), "pinned");
    verify(&job, "pinned");
    device_time_host("pinned", limit, pinned, &job);
    device_check(streamed(&job), "streamed");
    verify(&job, "streamed");
    device_time_host("streamed", limit, streamed, &job);
    free(job.rgb);
    free(job.grey);
    return 0;
}
