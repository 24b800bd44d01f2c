// zoo: right
//
// One macro that checks and jumps, one exit per function. Part B also fills d_out before, records
// events around the launch and waits for them; part C copies the rows from the last to the first;
// part D adds 0 times the coefficient for taps outside a zero border, which changes no bit.
#include "lab.h"

#include <stdlib.h>
#include <string.h>

#define TRY(call)                                                                                  \
    do {                                                                                           \
        error = (call);                                                                            \
        if (error != cudaSuccess) {                                                                \
            goto done;                                                                             \
        }                                                                                          \
    } while (0)

template <bool FUSED>
__global__ void filter(const float *image, int width, int height, const float *mask, int radius,
                       enum border border, float *out) {
    const unsigned column = blockIdx.x * 64 + threadIdx.x;
    const unsigned line = blockIdx.y * 2 + threadIdx.y;
    if (column < (unsigned)width && line < (unsigned)height) {
        const float *coefficient = mask;
        float sum = 0.0f;
        for (int v = (int)line - radius; v <= (int)line + radius; ++v) {
            for (int u = (int)column - radius; u <= (int)column + radius; ++u, ++coefficient) {
                const int row = v < 0 ? 0 : v >= height ? height - 1 : v;
                const int near = u < 0 ? 0 : u >= width ? width - 1 : u;
                float value = image[(size_t)row * width + near];
                if (border == BORDER_ZERO && (row != v || near != u)) {
                    value = 0.0f;
                }
                sum = FUSED ? fmaf(value, *coefficient, sum)
                            : __fadd_rn(sum, __fmul_rn(value, *coefficient));
            }
        }
        out[(size_t)line * width + column] = sum;
    }
}

template <bool FUSED>
static cudaError_t start(const float *image, int width, int height, const float *mask, int radius,
                         enum border border, float *out) {
    const dim3 block(64, 2), grid((width - 1) / 64 + 1, (height - 1) / 2 + 1);
    filter<FUSED><<<grid, block>>>(image, width, height, mask, radius, border, out);
    return cudaGetLastError();
}

cudaError_t correlate_device(const float *d_image, int width, int height, const float *d_mask,
                             int radius, enum border border, float *d_out) {
    return start<true>(d_image, width, height, d_mask, radius, border, d_out);
}

cudaError_t correlate_identical(const float *d_image, int width, int height, const float *d_mask,
                                int radius, enum border border, float *d_out) {
    return start<false>(d_image, width, height, d_mask, radius, border, d_out);
}

cudaError_t correlate_host(const float *h_image, int width, int height, const float *h_mask,
                           int radius, enum border border, float *h_out) {
    const size_t side = 2 * (size_t)radius + 1, mask_bytes = side * side * sizeof *h_mask;
    const size_t bytes = (size_t)width * height * sizeof *h_image;
    float *d_image = NULL, *d_mask = NULL, *d_out = NULL;
    cudaEvent_t before = NULL, after = NULL;
    float milliseconds = 0.0f;
    cudaError_t error = cudaSuccess;

    TRY(cudaEventCreate(&before));
    TRY(cudaEventCreateWithFlags(&after, cudaEventBlockingSync));
    TRY(cudaMalloc(&d_image, bytes));
    TRY(cudaMalloc(&d_mask, mask_bytes));
    TRY(cudaMalloc(&d_out, bytes));
    TRY(cudaMemset(d_out, 0, bytes));
    TRY(cudaMemcpy(d_image, h_image, bytes, cudaMemcpyHostToDevice));
    TRY(cudaMemcpy(d_mask, h_mask, mask_bytes, cudaMemcpyHostToDevice));
    TRY(cudaEventRecord(before));
    TRY(correlate_device(d_image, width, height, d_mask, radius, border, d_out));
    TRY(cudaEventRecord(after));
    TRY(cudaEventSynchronize(after));
    TRY(cudaEventElapsedTime(&milliseconds, before, after));
    TRY(cudaMemcpy(h_out, d_out, bytes, cudaMemcpyDeviceToHost));
done:
    if (after != NULL) {
        (void)cudaEventDestroy(after);
    }
    if (before != NULL) {
        (void)cudaEventDestroy(before);
    }
    (void)cudaFree(d_out);
    (void)cudaFree(d_mask);
    (void)cudaFree(d_image);
    return error;
}

cudaError_t correlate_staged(enum host_memory kind, const float *h_image, int width, int height,
                             const float *h_mask, int radius, enum border border, float *h_out) {
    const size_t row = (size_t)width * sizeof(float);
    char *staging = NULL;
    cudaError_t error = cudaSuccess;

    switch (kind) {
    case HOST_PAGEABLE:
        staging = (char *)malloc(row * height);
        if (staging == NULL) {
            return cudaErrorMemoryAllocation;
        }
        break;
    case HOST_PINNED:
        TRY(cudaHostAlloc((void **)&staging, row * height, cudaHostAllocDefault));
        break;
    case HOST_WRITE_COMBINED:
        TRY(cudaHostAlloc((void **)&staging, row * height, cudaHostAllocWriteCombined));
        break;
    default:
        return cudaErrorInvalidValue;
    }
    for (int y = height; y-- > 0;) {
        memcpy(staging + y * row, h_image + (size_t)y * width, row);
    }
    TRY(correlate_host((const float *)staging, width, height, h_mask, radius, border, h_out));
done:
    if (kind == HOST_PAGEABLE) {
        free(staging);
    } else if (staging != NULL) {
        (void)cudaFreeHost(staging);
    }
    return error;
}
