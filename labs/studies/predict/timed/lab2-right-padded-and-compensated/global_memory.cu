// zoo: right
//
// Part A compensates its sums, after Kahan, with blocks of one dimension. Part B pads the image on
// the host, so that its own kernel knows no border. Part C chooses the functions from a table.
// Part D splits the columns into those near the border and the others.
#include "lab.h"

#include <stdlib.h>
#include <string.h>

/* f(x, y), with the border. */
static __device__ float at(const float *image, int width, int height, int x, int y,
                           enum border border) {
    if (x >= 0 && y >= 0 && x < width && y < height) {
        return image[(size_t)y * width + x];
    }
    if (border == BORDER_ZERO) {
        return 0.0f;
    }
    return image[(size_t)min(height - 1, max(0, y)) * width + min(width - 1, max(0, x))];
}

__global__ void compensated(const float *image, int width, int height, const float *mask,
                            int radius, enum border border, float *out) {
    const size_t pixel = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (pixel >= (size_t)width * height) {
        return;
    }
    const int x = (int)(pixel % width), y = (int)(pixel / width), size = 2 * radius + 1;
    float sum = 0.0f, lost = 0.0f;
    for (int i = 0; i < size * size; i++) {
        const float f = at(image, width, height, x + i % size - radius, y + i / size - radius,
                           border);
        const float term = __fsub_rn(__fmul_rn(f, mask[i]), lost);
        const float total = __fadd_rn(sum, term);
        lost = __fsub_rn(__fsub_rn(total, sum), term);
        sum = total;
    }
    out[pixel] = sum;
}

cudaError_t correlate_device(const float *d_image, int width, int height, const float *d_mask,
                             int radius, enum border border, float *d_out) {
    const size_t pixels = (size_t)width * height;
    compensated<<<(unsigned)((pixels + 127) / 128), 128>>>(d_image, width, height, d_mask, radius,
                                                           border, d_out);
    return cudaGetLastError();
}

/* `wide` has `radius` pixels more on each side. */
__global__ void no_border(const float *wide, int width, int height, const float *mask, int radius,
                          float *out) {
    const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    const size_t pitch = (size_t)width + 2 * radius;
    if (x < width && y < height) {
        float sum = 0.0f;
        for (int b = 0; b <= 2 * radius; b++) {
            for (int a = 0; a <= 2 * radius; a++) {
                sum += wide[(y + b) * pitch + x + a] * *mask++;
            }
        }
        out[(size_t)y * width + x] = sum;
    }
}

static int nearest(int i, int count) {
    return i < 0 ? 0 : i < count ? i : count - 1;
}

/* The image with its border, in memory that the caller frees; NULL if there is none. */
static float *padded(const float *image, int width, int height, int radius, enum border border) {
    const int wide = width + 2 * radius, high = height + 2 * radius;
    float *all = (float *)calloc((size_t)wide * high, sizeof *all);
    for (int y = 0; all != NULL && y < high; y++) {
        for (int x = 0; x < wide; x++) {
            const int u = nearest(x - radius, width), v = nearest(y - radius, height);
            if (border == BORDER_REPLICATE || (u == x - radius && v == y - radius)) {
                all[(size_t)y * wide + x] = image[(size_t)v * width + u];
            }
        }
    }
    return all;
}

cudaError_t correlate_host(const float *h_image, int width, int height, const float *h_mask,
                           int radius, enum border border, float *h_out) {
    const size_t wide_bytes =
        ((size_t)width + 2 * radius) * ((size_t)height + 2 * radius) * sizeof(float);
    const size_t bytes[3] = {wide_bytes, (size_t)(2 * radius + 1) * (2 * radius + 1) * sizeof(float),
                             (size_t)width * height * sizeof(float)};
    float *buffer[3] = {NULL, NULL, NULL};
    float *wide = padded(h_image, width, height, radius, border);
    if (wide == NULL) {
        return cudaErrorMemoryAllocation;
    }
    cudaError_t error = cudaSuccess;
    for (int i = 0; i < 3 && error == cudaSuccess; i++) {
        error = cudaMalloc((void **)&buffer[i], bytes[i]);
    }
    const float *source[2] = {wide, h_mask};
    for (int i = 0; i < 2 && error == cudaSuccess; i++) {
        error = cudaMemcpy(buffer[i], source[i], bytes[i], cudaMemcpyHostToDevice);
    }
    free(wide);
    if (error == cudaSuccess) {
        const dim3 grid((width + 15) / 16, (height + 15) / 16);
        no_border<<<grid, dim3(16, 16)>>>(buffer[0], width, height, buffer[1], radius, buffer[2]);
        error = cudaGetLastError();
    }
    if (error == cudaSuccess) {
        error = cudaMemcpy(h_out, buffer[2], bytes[2], cudaMemcpyDeviceToHost);
    }
    for (int i = 3; i-- > 0;) {
        cudaFree(buffer[i]);
    }
    return error;
}

static cudaError_t pageable(void **memory, size_t bytes) {
    *memory = malloc(bytes);
    return *memory == NULL ? cudaErrorMemoryAllocation : cudaSuccess;
}

static cudaError_t pinned(void **memory, size_t bytes) {
    return cudaHostAlloc(memory, bytes, cudaHostAllocDefault);
}

static cudaError_t write_combined(void **memory, size_t bytes) {
    return cudaHostAlloc(memory, bytes, cudaHostAllocWriteCombined);
}

static void to_the_heap(void *memory) {
    free(memory);
}

static void to_the_driver(void *memory) {
    cudaFreeHost(memory);
}

static const struct {
    cudaError_t (*allocate)(void **memory, size_t bytes);
    void (*release)(void *memory);
} kinds[] = {{pageable, to_the_heap}, {pinned, to_the_driver}, {write_combined, to_the_driver}};

cudaError_t correlate_staged(enum host_memory kind, const float *h_image, int width, int height,
                             const float *h_mask, int radius, enum border border, float *h_out) {
    if ((unsigned)kind >= sizeof kinds / sizeof kinds[0]) {
        return cudaErrorInvalidValue;
    }
    void *staging = NULL;
    const size_t bytes = (size_t)width * height * sizeof(float);
    const cudaError_t allocated = kinds[kind].allocate(&staging, bytes);
    if (allocated != cudaSuccess) {
        return allocated;
    }
    memcpy(staging, h_image, bytes);
    const cudaError_t error = correlate_host((const float *)staging, width, height, h_mask, radius,
                                             border, h_out);
    kinds[kind].release(staging);
    return error;
}

__global__ void in_order(const float *image, int width, int height, const float *mask, int radius,
                         enum border border, float *out) {
    const int x = blockIdx.y * blockDim.x + threadIdx.x, y = blockIdx.x;
    if (x >= width) {
        return;
    }
    const bool inner = x >= radius && x + radius < width && y >= radius && y + radius < height;
    float sum = 0.0f;
    for (int b = -radius; b <= radius; b++) {
        const float *row = mask + (b + radius) * (2 * radius + 1) + radius;
        for (int a = -radius; a <= radius; a++) {
            const float f = inner ? image[(size_t)(y + b) * width + (x + a)]
                                  : at(image, width, height, x + a, y + b, border);
            sum = __fadd_rn(__fmul_rn(row[a], f), sum);
        }
    }
    out[(size_t)y * width + x] = sum;
}

cudaError_t correlate_identical(const float *d_image, int width, int height, const float *d_mask,
                                int radius, enum border border, float *d_out) {
    const dim3 grid(height, (width + 31) / 32); /* a row, and 32 of its columns */
    in_order<<<grid, 32>>>(d_image, width, height, d_mask, radius, border, d_out);
    return cudaGetLastError();
}
