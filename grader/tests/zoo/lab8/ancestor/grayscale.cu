#include "lab_cuda.h"

enum { BLOCK = 256, QUAD = 4 }; /* threads of a block; pixels of a thread */

inline size_t ceil_div(size_t count, size_t size) {
    return (count + size - 1) / size;
}

/* ---- the kernel ---- */

__device__ inline unsigned grey_of(unsigned red, unsigned green, unsigned blue, struct weights w) {
    return (w.r * red + w.g * green + w.b * blue + 16384) >> 15;
}

__global__ void grey_kernel(const uint8_t *d_rgb, size_t pixels, struct weights w,
                            uint8_t *d_grey) {
    const size_t first = QUAD * ((size_t)blockIdx.x * blockDim.x + threadIdx.x);
    if (first + QUAD <= pixels) {
        const unsigned *words = (const unsigned *)(d_rgb + 3 * first);
        const unsigned a = words[0], b = words[1], c = words[2];
        const unsigned y0 = grey_of(a & 255, a >> 8 & 255, a >> 16 & 255, w);
        const unsigned y1 = grey_of(a >> 24, b & 255, b >> 8 & 255, w);
        const unsigned y2 = grey_of(b >> 16 & 255, b >> 24, c & 255, w);
        const unsigned y3 = grey_of(c >> 8 & 255, c >> 16 & 255, c >> 24, w);
        *(unsigned *)(d_grey + first) = y0 | y1 << 8 | y2 << 16 | y3 << 24;
        return;
    }
    for (size_t i = first; i < pixels; i++) {
        d_grey[i] = (uint8_t)grey_of(d_rgb[3 * i], d_rgb[3 * i + 1], d_rgb[3 * i + 2], w);
    }
}

cudaError_t grey_device(const uint8_t *d_rgb, size_t pixels, struct weights w, uint8_t *d_grey,
                        cudaStream_t stream) {
    const unsigned blocks = (unsigned)ceil_div(pixels, BLOCK * QUAD);
    grey_kernel<<<blocks, BLOCK, 0, stream>>>(d_rgb, pixels, w, d_grey);
    return cudaGetLastError();
}

/* ---- there and back ---- */

cudaError_t grey_plain(const uint8_t *h_rgb, int width, int height, struct weights w,
                       uint8_t *h_grey) {
    const size_t pixels = (size_t)width * height;
    uint8_t *d_rgb = NULL, *d_grey = NULL;

    cudaError_t error = cudaMalloc((void **)&d_rgb, 3 * pixels);
    if (error == cudaSuccess) {
        error = cudaMalloc((void **)&d_grey, pixels);
    }
    if (error == cudaSuccess) {
        error = cudaMemcpy(d_rgb, h_rgb, 3 * pixels, cudaMemcpyHostToDevice);
    }
    if (error == cudaSuccess) {
        error = grey_device(d_rgb, pixels, w, d_grey, 0);
    }
    if (error == cudaSuccess) {
        error = cudaMemcpy(h_grey, d_grey, pixels, cudaMemcpyDeviceToHost);
    }
    cudaFree(d_rgb);
    cudaFree(d_grey);
    return error;
}

/* Pins both images where they lie. On an error neither is pinned. */
static cudaError_t pin(const uint8_t *h_rgb, uint8_t *h_grey, size_t pixels) {
    cudaError_t error = cudaHostRegister((void *)h_rgb, 3 * pixels, cudaHostRegisterDefault);
    if (error != cudaSuccess) {
        return error;
    }
    error = cudaHostRegister(h_grey, pixels, cudaHostRegisterDefault);
    if (error != cudaSuccess) {
        cudaHostUnregister((void *)h_rgb);
    }
    return error;
}

static void unpin(const uint8_t *h_rgb, uint8_t *h_grey) {
    cudaHostUnregister((void *)h_rgb);
    cudaHostUnregister(h_grey);
}

cudaError_t grey_pinned(const uint8_t *h_rgb, int width, int height, struct weights w,
                        uint8_t *h_grey) {
    cudaError_t error = pin(h_rgb, h_grey, (size_t)width * height);
    if (error == cudaSuccess) {
        error = grey_plain(h_rgb, width, height, w, h_grey);
        unpin(h_rgb, h_grey);
    }
    return error;
}

/* ---- in pieces that overlap ---- */

/* Queues one section: its way there, its conversion and its way back, all in `stream`. */
static cudaError_t queue_section(const uint8_t *h_rgb, uint8_t *d_rgb, size_t pixels,
                                 struct weights w, uint8_t *d_grey, uint8_t *h_grey,
                                 cudaStream_t stream) {
    cudaError_t error = cudaMemcpyAsync(d_rgb, h_rgb, 3 * pixels, cudaMemcpyHostToDevice, stream);
    if (error == cudaSuccess) {
        error = grey_device(d_rgb, pixels, w, d_grey, stream);
    }
    if (error == cudaSuccess) {
        error = cudaMemcpyAsync(h_grey, d_grey, pixels, cudaMemcpyDeviceToHost, stream);
    }
    return error;
}

/* Queues all sections of an image of `pixels` pixels, turn by turn in the streams. */
static cudaError_t queue_all(const uint8_t *h_rgb, uint8_t *d_rgb, size_t pixels, struct weights w,
                             int chunks, uint8_t *d_grey, uint8_t *h_grey,
                             const cudaStream_t *streams) {
    const size_t section = ceil_div(ceil_div(pixels, chunks), QUAD) * QUAD;
    cudaError_t error = cudaSuccess;

    for (size_t i = 0; i * section < pixels && error == cudaSuccess; i++) {
        const size_t first = i * section, left = pixels - first;
        error = queue_section(h_rgb + 3 * first, d_rgb + 3 * first, left < section ? left : section,
                              w, d_grey + first, h_grey + first, streams[i % STREAMS]);
    }
    return error;
}

cudaError_t grey_streamed(const uint8_t *h_rgb, int width, int height, struct weights w, int chunks,
                          uint8_t *h_grey) {
    const size_t pixels = (size_t)width * height;
    uint8_t *d_rgb = NULL, *d_grey = NULL;
    cudaStream_t streams[STREAMS];
    int made = 0;

    cudaError_t error = pin(h_rgb, h_grey, pixels);
    if (error != cudaSuccess) {
        return error;
    }
    error = cudaMalloc((void **)&d_rgb, 3 * pixels);
    if (error == cudaSuccess) {
        error = cudaMalloc((void **)&d_grey, pixels);
    }
    while (error == cudaSuccess && made < STREAMS) {
        error = cudaStreamCreate(&streams[made]);
        made += error == cudaSuccess;
    }
    if (error == cudaSuccess) {
        error = queue_all(h_rgb, d_rgb, pixels, w, chunks, d_grey, h_grey, streams);
    }
    for (int i = 0; i < made; i++) {
        const cudaError_t waited = cudaStreamSynchronize(streams[i]);
        error = error == cudaSuccess ? waited : error;
        cudaStreamDestroy(streams[i]);
    }
    cudaFree(d_rgb);
    cudaFree(d_grey);
    unpin(h_rgb, h_grey);
    return error;
}
