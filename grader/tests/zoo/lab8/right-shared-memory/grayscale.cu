// zoo: right
//
// A block carries its 768 bytes to shared memory as words, each lane the next one, and every thread
// converts one pixel from there. All is released in one place, by goto; one launch a section, all
// sections there first, then all conversions, then all back.
#include "lab_cuda.h"

static const unsigned THREADS = 256;

__global__ void staged(const uint8_t *d_rgb, size_t pixels, struct weights w, uint8_t *d_grey) {
    __shared__ unsigned s_words[192];
    const size_t first = (size_t)blockIdx.x * blockDim.x;
    const size_t bytes = min((size_t)768, 3 * (pixels - first));
    const uint8_t *from = d_rgb + 3 * first;

    if (4 * threadIdx.x + 4 <= bytes) {
        s_words[threadIdx.x] = ((const unsigned *)from)[threadIdx.x];
    } else if (4 * threadIdx.x < bytes) {
        for (unsigned i = 4 * threadIdx.x; i < bytes; i++) {
            ((uint8_t *)s_words)[i] = from[i];
        }
    }
    __syncthreads();
    if (first + threadIdx.x < pixels) {
        const uint8_t *p = (const uint8_t *)s_words + 3 * threadIdx.x;
        d_grey[first + threadIdx.x] =
            (uint8_t)((w.r * p[0] + w.g * p[1] + w.b * p[2] + 16384) >> 15);
    }
}

cudaError_t grey_device(const uint8_t *d_rgb, size_t pixels, struct weights w, uint8_t *d_grey,
                        cudaStream_t stream) {
    staged<<<(unsigned)((pixels - 1) / THREADS + 1), THREADS, 0, stream>>>(d_rgb, pixels, w,
                                                                           d_grey);
    return cudaGetLastError();
}

#define TRY(call)                                                                                  \
    if ((error = (call)) != cudaSuccess) {                                                         \
        goto out;                                                                                  \
    }

cudaError_t grey_plain(const uint8_t *h_rgb, int width, int height, struct weights w,
                       uint8_t *h_grey) {
    const size_t n = (size_t)width * height;
    uint8_t *d_rgb = NULL, *d_grey = NULL;
    cudaError_t error;
    TRY(cudaMalloc((void **)&d_rgb, n * 3));
    TRY(cudaMalloc((void **)&d_grey, n));
    TRY(cudaMemcpy(d_rgb, h_rgb, n * 3, cudaMemcpyHostToDevice));
    TRY(grey_device(d_rgb, n, w, d_grey, 0));
    TRY(cudaMemcpy(h_grey, d_grey, n, cudaMemcpyDeviceToHost));
out:
    cudaFree(d_grey);
    cudaFree(d_rgb);
    return error;
}

cudaError_t grey_pinned(const uint8_t *h_rgb, int width, int height, struct weights w,
                        uint8_t *h_grey) {
    const size_t n = (size_t)width * height;
    uint8_t *rgb = const_cast<uint8_t *>(h_rgb);
    int pinned = 0;
    cudaError_t error;
    TRY(cudaHostRegister(h_grey, n, 0));
    pinned++;
    TRY(cudaHostRegister(rgb, 3 * n, 0));
    pinned++;
    error = grey_plain(h_rgb, width, height, w, h_grey);
out:
    if (pinned > 1) {
        cudaHostUnregister(rgb);
    }
    if (pinned > 0) {
        cudaHostUnregister(h_grey);
    }
    return error;
}

/* What a streamed conversion holds, and what goes back whatever happened. */
struct hold {
    uint8_t *h_rgb, *h_grey, *d_rgb, *d_grey;
    cudaStream_t stream[STREAMS];
    int pinned_rgb, pinned_grey, streams;
};

static cudaError_t release(struct hold *hold, cudaError_t error) {
    for (int i = 0; i < hold->streams; i++) {
        cudaError_t last = cudaStreamSynchronize(hold->stream[i]);
        if (error == cudaSuccess) {
            error = last;
        }
        cudaStreamDestroy(hold->stream[i]);
    }
    cudaFree(hold->d_rgb);
    cudaFree(hold->d_grey);
    if (hold->pinned_rgb) {
        cudaHostUnregister(hold->h_rgb);
    }
    if (hold->pinned_grey) {
        cudaHostUnregister(hold->h_grey);
    }
    return error;
}

static cudaError_t acquire(struct hold *hold, size_t n) {
    cudaError_t error;
    TRY(cudaHostRegister(hold->h_rgb, 3 * n, cudaHostRegisterPortable));
    hold->pinned_rgb = 1;
    TRY(cudaHostRegister(hold->h_grey, n, cudaHostRegisterPortable));
    hold->pinned_grey = 1;
    TRY(cudaMalloc((void **)&hold->d_rgb, 3 * n));
    TRY(cudaMalloc((void **)&hold->d_grey, n));
    for (; hold->streams < STREAMS; hold->streams++) {
        TRY(cudaStreamCreate(&hold->stream[hold->streams]));
    }
out:
    return error;
}

cudaError_t grey_streamed(const uint8_t *h_rgb, int width, int height, struct weights w, int chunks,
                          uint8_t *h_grey) {
    const size_t n = (size_t)width * height, section = ((n - 1) / chunks / 4 + 1) * 4;
    struct hold hold = {};
    cudaError_t error;
    hold.h_rgb = const_cast<uint8_t *>(h_rgb);
    hold.h_grey = h_grey;
    TRY(acquire(&hold, n));
    for (int step = 0; step < 3; step++) {
        for (size_t first = 0, i = 0; first < n; first += section, i++) {
            const size_t count = min(section, n - first);
            const cudaStream_t stream = hold.stream[i % STREAMS];
            if (step == 0) {
                TRY(cudaMemcpyAsync(hold.d_rgb + 3 * first, h_rgb + 3 * first, 3 * count,
                                    cudaMemcpyHostToDevice, stream));
            } else if (step == 1) {
                TRY(grey_device(hold.d_rgb + 3 * first, count, w, hold.d_grey + first, stream));
            } else {
                TRY(cudaMemcpyAsync(h_grey + first, hold.d_grey + first, count,
                                    cudaMemcpyDeviceToHost, stream));
            }
        }
    }
out:
    return release(&hold, error);
}
