/* What a traced run costs: kernels whose lanes agree, and kernels whose lanes do not. Prints a line
 * per launch: its name and the processor time that it took, in seconds. How many lane accesses that
 * were stands in the run's profile. */
#include <stdio.h>
#include <stdlib.h>

#include "now.h"
#include "shared_tile.h"

__constant__ float c_mask[SIZE * SIZE];

/* Of an image that is as wide as a warp: 12 of its 32 lanes are border lanes, which skip taps. */
__global__ void border_lanes(const float *image, float *out, int w, int h) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) {
        return;
    }
    float sum = 0.0f;
    for (int b = -RADIUS; b <= RADIUS; b++) {
        for (int a = -RADIUS; a <= RADIUS; a++) {
            if (x + a < 0 || x + a >= w || y + b < 0 || y + b >= h) {
                continue;
            }
            sum += image[(y + b) * w + x + a] * c_mask[(b + RADIUS) * SIZE + a + RADIUS];
        }
    }
    out[y * w + x] = sum;
}

/* Each lane goes round as often as its datum says, 0 to 63 times. */
__global__ void uneven_loops(const int *rounds, const float *in, float *out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    float sum = 0.0f;
    for (int k = 0; k < rounds[i]; k++) {
        sum += in[(i + 7 * k) % n];
    }
    out[i] = sum;
}

static void *on_device(size_t bytes) {
    void *memory;
    if (cudaMalloc(&memory, bytes) != cudaSuccess) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
    cudaMemset(memory, 0, bytes);
    return memory;
}

int main(int argc, char **argv) {
    const int times = argc > 1 ? atoi(argv[1]) : 1; /* rows of blocks, as a multiple */
    const int h = SIDE * times, n = 16384 * times;
    float *image = (float *)on_device((size_t)SIDE * h * sizeof(float));
    float *out = (float *)on_device((size_t)SIDE * h * sizeof(float));
    float *mask = (float *)on_device(SIZE * SIZE * sizeof(float));
    int *rounds = (int *)on_device((size_t)n * sizeof(int));
    int *h_rounds = (int *)malloc((size_t)n * sizeof(int));
    for (int i = 0; i < n; i++) {
        h_rounds[i] = (int)((unsigned)i * 2654435761u >> 26);
    }
    cudaMemcpy(rounds, h_rounds, (size_t)n * sizeof(int), cudaMemcpyHostToDevice);

    double t = now();
    shared_tile<<<dim3((SIDE + 31) / 32, (h + 31) / 32), dim3(32, 32)>>>(mask, image, out, SIDE, h);
    cudaDeviceSynchronize();
    printf("shared_tile %.6f\n", now() - t);
    t = now();
    border_lanes<<<dim3(1, (h + 7) / 8), dim3(32, 8)>>>(image, out, 32, h);
    cudaDeviceSynchronize();
    printf("border_lanes %.6f\n", now() - t);
    t = now();
    uneven_loops<<<(n + 255) / 256, 256>>>(rounds, image, out, n);
    cudaDeviceSynchronize();
    printf("uneven_loops %.6f\n", now() - t);

    free(h_rounds);
    cudaFree(image);
    cudaFree(out);
    cudaFree(mask);
    cudaFree(rounds);
    return cudaGetLastError() == cudaSuccess ? 0 : 1;
}
