/* What the interactive figures of the handouts show, done by kernels that the simulator counts.
 *
 * The file in argv[1] has a case a line: the name of a figure and its numbers. For each line the
 * program prints what its kernels counted; of `lanes` nothing, because the simulator's profile has the
 * counters of those launches. */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t error_ = (call);                                                               \
        if (error_ != cudaSuccess) {                                                               \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(error_));                \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

/* One load of a warp from global memory, one from shared memory, of the same addresses. */
template <typename T>
__global__ void lanes_kernel(const T *d_data, int stride, int pitch, int offset, T *d_out) {
    extern __shared__ float4 s_bytes[];
    const T *s_data = (const T *)s_bytes;
    const int i = offset + (int)threadIdx.y * pitch + (int)threadIdx.x * stride;
    const int lane = threadIdx.y * blockDim.x + threadIdx.x;
    d_out[lane] = d_data[i];
    d_out[32 + lane] = s_data[i];
}

template <typename T> void lanes(int block, int stride, int pitch, int offset) {
    const int last = offset + (32 / block - 1) * pitch + (block - 1) * stride;
    const size_t bytes = (size_t)(last + 1) * sizeof(T);
    T *d_data, *d_out;
    CHECK(cudaMalloc(&d_data, bytes));
    CHECK(cudaMalloc(&d_out, 64 * sizeof(T)));
    CHECK(cudaMemset(d_data, 0, bytes));
    lanes_kernel<<<1, dim3(block, 32 / block), bytes>>>(d_data, stride, pitch, offset, d_out);
    CHECK(cudaGetLastError());
    CHECK(cudaFree(d_data));
    CHECK(cudaFree(d_out));
}

/* Counts of one block: pixels loaded, iterations of the loop that loads, threads that compute. */
enum { LOADED, ITERATIONS, COMPUTE, TILE_COUNTS };

__global__ void idle_kernel(int radius, int *d_counts) {
    extern __shared__ float s_tile[];
    s_tile[threadIdx.y * blockDim.x + threadIdx.x] = 1.0f;
    atomicAdd(&d_counts[LOADED], 1);
    atomicMax(&d_counts[ITERATIONS], 1);
    __syncthreads();
    const int x = threadIdx.x, y = threadIdx.y, w = blockDim.x, h = blockDim.y;
    if (x >= radius && x < w - radius && y >= radius && y < h - radius) {
        atomicAdd(&d_counts[COMPUTE], 1);
    }
}

__global__ void tile_kernel(int radius, int *d_counts) {
    extern __shared__ float s_tile[];
    const int width = blockDim.x + 2 * radius, height = blockDim.y + 2 * radius;
    int iterations = 0;
    int loaded = 0;
    for (int row = threadIdx.y; row < height; row += blockDim.y) {
        for (int column = threadIdx.x; column < width; column += blockDim.x) {
            s_tile[row * width + column] = 1.0f;
            loaded++;
            iterations++;
        }
    }
    atomicAdd(&d_counts[LOADED], loaded);
    atomicMax(&d_counts[ITERATIONS], iterations);
    __syncthreads();
    atomicAdd(&d_counts[COMPUTE], 1);
}

void tile(char design, int blockX, int blockY, int radius) {
    const int apron = design == 'A' ? 0 : 2 * radius;
    const size_t bytes = sizeof(float) * (size_t)(blockX + apron) * (size_t)(blockY + apron);
    void (*kernel)(int, int *) = design == 'A' ? idle_kernel : tile_kernel;
    int *d_counts, counts[TILE_COUNTS], blocks = 0;
    CHECK(cudaMalloc(&d_counts, sizeof counts));
    CHECK(cudaMemset(d_counts, 0, sizeof counts));
    kernel<<<1, dim3(blockX, blockY), bytes>>>(radius, d_counts);
    const bool launched = cudaGetLastError() == cudaSuccess;
    CHECK(cudaMemcpy(counts, d_counts, sizeof counts, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_counts));
    if (launched) {
        CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, blockX * blockY, bytes));
    }
    printf("%d %d %d %d %zu %d\n", launched, counts[LOADED], counts[ITERATIONS], counts[COMPUTE],
           bytes, blocks);
}

/* Counts of a launch: its threads, those outside of the image; the rest is in d_written, a pixel
 * each, and d_partial, a block each. */
__global__ void grid_kernel(int width, int height, int *d_threads, int *d_written, int *d_partial) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    atomicAdd(&d_threads[0], 1);
    if (x >= width || y >= height) {
        atomicAdd(&d_threads[1], 1);
        d_partial[blockIdx.y * gridDim.x + blockIdx.x] = 1;
        return;
    }
    d_written[y * width + x] = 1;
}

int sum(const int *d_values, int count) {
    int *values = (int *)malloc(sizeof(int) * (size_t)count), total = 0;
    CHECK(cudaMemcpy(values, d_values, sizeof(int) * (size_t)count, cudaMemcpyDeviceToHost));
    for (int i = 0; i < count; i++) {
        total += values[i];
    }
    free(values);
    return total;
}

void grid(int width, int height, int blockX, int blockY) {
    const dim3 block(blockX, blockY);
    const dim3 up((width + blockX - 1) / blockX, (height + blockY - 1) / blockY);
    const dim3 down(width / blockX, height / blockY);
    const int blocks = (int)(up.x * up.y), pixels = width * height;
    const size_t ints = (size_t)(4 + 2 * pixels + blocks);
    int *d_threads, threads[2];
    CHECK(cudaMalloc(&d_threads, ints * sizeof(int)));
    CHECK(cudaMemset(d_threads, 0, ints * sizeof(int)));
    int *d_written = d_threads + 4, *d_second = d_written + pixels, *d_partial = d_second + pixels;
    grid_kernel<<<up, block>>>(width, height, d_threads, d_written, d_partial);
    const bool launched = cudaGetLastError() == cudaSuccess;
    CHECK(cudaMemcpy(threads, d_threads, sizeof threads, cudaMemcpyDeviceToHost));
    const int partial = sum(d_partial, blocks);
    grid_kernel<<<down, block>>>(width, height, d_threads, d_second, d_partial);
    (void)cudaGetLastError(); /* of a grid without a block: no pixel is written */
    printf("%d %d %d %d %d %d\n", launched, threads[0], threads[1], partial,
           pixels - sum(d_written, pixels), pixels - sum(d_second, pixels));
    CHECK(cudaFree(d_threads));
}

/* The sum over a, b in -1..1 of f(x + a, y + b) g(a, b), or g(-a, -b) where flipped. */
__global__ void sum_kernel(const int *d_image, int width, int height, const int *d_mask,
                           bool replicate, bool flipped, int *d_out) {
    const int x = threadIdx.x, y = threadIdx.y;
    int total = 0;
    for (int b = -1; b <= 1; b++) {
        for (int a = -1; a <= 1; a++) {
            const int column = min(max(x + a, 0), width - 1);
            const int row = min(max(y + b, 0), height - 1);
            const bool outside = column != x + a || row != y + b;
            const int f = outside && !replicate ? 0 : d_image[row * width + column];
            const int sign = flipped ? -1 : 1;
            total += f * d_mask[(sign * b + 1) * 3 + sign * a + 1];
        }
    }
    d_out[y * width + x] = total;
}

/* The rest of the line: replicate, flipped, width, height, 9 coefficients, then the pixels. */
void convolution(char *numbers) {
    int values[13 + 32 * 32], count = 0;
    for (char *one = strtok(numbers, " \n"); one; one = strtok(NULL, " \n")) {
        values[count++] = atoi(one);
    }
    const int width = values[2], height = values[3], pixels = width * height;
    int *d_values, *d_out, out[32 * 32];
    CHECK(cudaMalloc(&d_values, sizeof values));
    CHECK(cudaMemcpy(d_values, values, sizeof(int) * (size_t)count, cudaMemcpyHostToDevice));
    CHECK(cudaMalloc(&d_out, sizeof out));
    sum_kernel<<<1, dim3(width, height)>>>(d_values + 13, width, height, d_values + 4, values[0],
                                           values[1], d_out);
    CHECK(cudaMemcpy(out, d_out, sizeof(int) * (size_t)pixels, cudaMemcpyDeviceToHost));
    for (int i = 0; i < pixels; i++) {
        printf("%d%c", out[i], i + 1 < pixels ? ' ' : '\n');
    }
    CHECK(cudaFree(d_values));
    CHECK(cudaFree(d_out));
}

int main(int argc, char **argv) {
    FILE *cases = argc > 1 ? fopen(argv[1], "r") : NULL;
    if (!cases) {
        fprintf(stderr, "usage: interactive FILE\n");
        return 1;
    }
    static char line[8192];
    while (fgets(line, sizeof line, cases)) {
        int a, b, c, d, e;
        char design;
        if (sscanf(line, "lanes %d %d %d %d %d", &a, &b, &c, &d, &e) == 5) {
            (a == 4 ? lanes<float> : a == 8 ? lanes<float2> : lanes<float4>)(b, c, d, e);
        } else if (sscanf(line, "tile %c %d %d %d", &design, &a, &b, &c) == 4) {
            tile(design, a, b, c);
        } else if (sscanf(line, "grid %d %d %d %d", &a, &b, &c, &d) == 4) {
            grid(a, b, c, d);
        } else if (strncmp(line, "convolution ", 12) == 0) {
            convolution(line + 12);
        } else {
            fprintf(stderr, "unknown case: %s", line);
            return 1;
        }
    }
    fclose(cases);
    return 0;
}
