// zoo: right
//
// A warp goes down a column of 32 pixels; the sums are in double in part A. Part B checks with a
// chain of functions, each of which owns one array; part C fills its buffer in pieces of 100
// bytes; part D has a kernel of its own for radius 0.
#include "lab.h"

#include <stdlib.h>
#include <string.h>

enum { DOWN = 8 }; /* rows of a thread */

inline __device__ bool find(int width, int height, enum border border, int *u, int *v) {
    const bool outside = *u < 0 || *v < 0 || *u >= width || *v >= height;
    *u = max(0, min(*u, width - 1));
    *v = max(0, min(*v, height - 1));
    return !outside || border != BORDER_ZERO;
}

__global__ void in_double(const float *image, int width, int height, const float *mask, int radius,
                          enum border border, float *out) {
    const int x = blockIdx.x * 32 + threadIdx.x;
    for (int i = 0; i < DOWN; i++) {
        const int y = (blockIdx.y * 4 + threadIdx.y) * DOWN + i;
        double sum = 0.0;
        for (int a = -radius; a <= radius && x < width && y < height; a++) {
            for (int b = -radius; b <= radius; b++) {
                int u = x + a, v = y + b;
                if (find(width, height, border, &u, &v)) {
                    sum += (double)image[(size_t)v * width + u] *
                           mask[(b + radius) * (2 * radius + 1) + a + radius];
                }
            }
        }
        if (x < width && y < height) {
            out[(size_t)y * width + x] = (float)sum;
        }
    }
}

static dim3 blocks_of(int width, int height) {
    return dim3((unsigned)((width + 31) / 32), (unsigned)((height + 4 * DOWN - 1) / (4 * DOWN)));
}

cudaError_t correlate_device(const float *d_image, int width, int height, const float *d_mask,
                             int radius, enum border border, float *d_out) {
    in_double<<<blocks_of(width, height), dim3(32, 4)>>>(d_image, width, height, d_mask, radius,
                                                         border, d_out);
    return cudaGetLastError();
}

struct call {
    int width, height, radius;
    enum border border;
    const float *h_image, *h_mask;
    float *h_out, *d_image, *d_mask, *d_out;
};

static size_t image_bytes(const struct call *c) {
    return (size_t)c->width * c->height * sizeof(float);
}

static size_t mask_bytes(const struct call *c) {
    return (size_t)(2 * c->radius + 1) * (2 * c->radius + 1) * sizeof(float);
}

static cudaError_t copy_and_launch(struct call *c) {
    cudaError_t error =
        cudaMemcpy(c->d_image, c->h_image, image_bytes(c), cudaMemcpyHostToDevice);
    if (error != cudaSuccess) {
        return error;
    }
    error = cudaMemcpy(c->d_mask, c->h_mask, mask_bytes(c), cudaMemcpyHostToDevice);
    if (error != cudaSuccess) {
        return error;
    }
    error = correlate_device(c->d_image, c->width, c->height, c->d_mask, c->radius, c->border,
                             c->d_out);
    if (error != cudaSuccess) {
        return error;
    }
    return cudaMemcpy(c->h_out, c->d_out, image_bytes(c), cudaMemcpyDeviceToHost);
}

static cudaError_t with_result(struct call *c) {
    cudaError_t error = cudaMalloc(&c->d_out, image_bytes(c));
    if (error == cudaSuccess) {
        error = copy_and_launch(c);
        cudaFree(c->d_out);
    }
    return error;
}

static cudaError_t with_mask(struct call *c) {
    cudaError_t error = cudaMalloc(&c->d_mask, mask_bytes(c));
    if (error == cudaSuccess) {
        error = with_result(c);
        cudaFree(c->d_mask);
    }
    return error;
}

cudaError_t correlate_host(const float *h_image, int width, int height, const float *h_mask,
                           int radius, enum border border, float *h_out) {
    struct call c = {width, height, radius, border, h_image, h_mask, h_out, NULL, NULL, NULL};
    cudaError_t error = cudaMalloc(&c.d_image, image_bytes(&c));
    if (error == cudaSuccess) {
        error = with_mask(&c);
        cudaFree(c.d_image);
    }
    return error;
}

static void fill(void *to, const void *from, size_t bytes) {
    while (bytes > 0) {
        const size_t piece = bytes < 100 ? bytes : 100;
        memcpy(to, from, piece);
        to = (char *)to + piece;
        from = (const char *)from + piece;
        bytes -= piece;
    }
}

cudaError_t correlate_staged(enum host_memory kind, const float *h_image, int width, int height,
                             const float *h_mask, int radius, enum border border, float *h_out) {
    const size_t bytes = (size_t)width * height * sizeof(float);
    const bool pinned = kind == HOST_PINNED || kind == HOST_WRITE_COMBINED;
    void *buffer = NULL;
    cudaError_t error;

    if (!pinned && kind != HOST_PAGEABLE) {
        return cudaErrorInvalidValue;
    }
    if (pinned) {
        error = cudaHostAlloc(&buffer, bytes,
                              kind == HOST_PINNED ? cudaHostAllocDefault
                                                  : cudaHostAllocWriteCombined);
        if (error != cudaSuccess) {
            return error;
        }
    } else if ((buffer = malloc(bytes)) == NULL) {
        return cudaErrorMemoryAllocation;
    }
    fill(buffer, h_image, bytes);
    error = correlate_host((const float *)buffer, width, height, h_mask, radius, border, h_out);
    pinned ? (void)cudaFreeHost(buffer) : free(buffer);
    return error;
}

template <int RADIUS> /* -1: any */
__global__ void unrolled(const float *image, int width, int height, const float *mask, int any,
                         enum border border, float *out) {
    const int radius = RADIUS < 0 ? any : RADIUS;
    const int x = blockIdx.x * 32 + threadIdx.x;
    for (int y = blockIdx.y * 4 + threadIdx.y; y < height; y += gridDim.y * 4) {
        float sum = 0.0f;
        for (int i = 0; i < (2 * radius + 1) * (2 * radius + 1); i++) {
            int u = x + i % (2 * radius + 1) - radius, v = y + i / (2 * radius + 1) - radius;
            if (find(width, height, border, &u, &v)) {
                sum = __fadd_rn(sum, __fmul_rn(image[(size_t)v * width + u], mask[i]));
            }
        }
        if (x < width) {
            out[(size_t)y * width + x] = sum;
        }
    }
}

cudaError_t correlate_identical(const float *d_image, int width, int height, const float *d_mask,
                                int radius, enum border border, float *d_out) {
    void (*const kernels[])(const float *, int, int, const float *, int, enum border, float *) = {
        unrolled<0>, unrolled<-1>};
    kernels[radius > 0]<<<blocks_of(width, height), dim3(32, 4)>>>(
        d_image, width, height, d_mask, radius, border, d_out);
    return cudaGetLastError();
}
