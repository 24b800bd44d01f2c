/* The kernels that the handouts step through, one block of each: `python -m handouts.drawing.steps`
 * records them. They show how a warp accesses memory; none is the solution of a lab. */
#include <cuda_runtime.h>
#include <string.h>

#define COLUMNS 64
#define IMAGE (32 * COLUMNS * sizeof(float))

__constant__ float c_weight[4];

__global__ void masks_of_columns(const float *d_in, float *d_out) {
    int x = threadIdx.x; /* neighbouring columns */
    d_out[x] = c_weight[x % 4] * d_in[x / 4];

    int column = 4 * threadIdx.x; /* every fourth column */
    d_out[column] = c_weight[column % 4] * d_in[column / 4];
}

__global__ void row_121(const float *d_in, float *d_out) {
    __shared__ float s_tile[1 + 64 + 1];
    int i = threadIdx.x, x = 64 * blockIdx.x + i;
    s_tile[1 + i] = d_in[x];
    if (i == 0) s_tile[0] = d_in[x - 1];
    if (i == 63) s_tile[65] = d_in[x + 1];
    __syncthreads();
    d_out[x] = s_tile[i] + 2 * s_tile[i + 1] + s_tile[i + 2];
}

__global__ void along_and_across(const float *d_t, float *d_out) {
    int lane = threadIdx.x;
    float sum = 0; /* lanes side by side */
    for (int b = 0; b < 3; b++) sum += d_t[b * COLUMNS + lane];
    d_out[lane] = sum;

    sum = 0; /* lanes below each other */
    for (int a = 0; a < 3; a++) sum += d_t[lane * COLUMNS + a];
    d_out[lane * COLUMNS] = sum;
}

__global__ void two_masks(const float *d_image, const float *d_weights, float *d_out,
                          int channels) {
    __shared__ float s_weight[2][8]; /* of two masks */
    int x = threadIdx.x;
    if (x < channels) {
        for (int n = 0; n < 2; n++) s_weight[n][x] = d_weights[n * channels + x];
    }
    __syncthreads();
    float sum[2] = {0, 0};
    for (int c = 0; c < channels; c++) {
        float pixel = d_image[c * COLUMNS + x];
        for (int n = 0; n < 2; n++) sum[n] += pixel * s_weight[n][c];
    }
    for (int n = 0; n < 2; n++) d_out[n * COLUMNS + x] = sum[n];
}

__global__ void reds(const unsigned char *d_rgb, unsigned char *d_red) {
    int i = threadIdx.x; /* a pixel: one of its three bytes */
    d_red[i] = d_rgb[3 * i];

    /* 12 bytes in three loads: the reds of four pixels */
    const unsigned *words = (const unsigned *)d_rgb + 3 * i;
    unsigned red = words[0] & 0xff0000ff;
    red |= words[1] & 0x00ff0000;
    red |= words[2] & 0x0000ff00;
    ((unsigned *)d_red)[32 + i] = red; /* in another order */
}

int main(void) {
    const float weights[4] = {1, 3, 2, -1};
    unsigned char *d_rgb, *d_red;
    float *d_in, *d_t, *d_image, *d_weights, *d_out;
    cudaMallocManaged(&d_in, IMAGE);
    cudaMallocManaged(&d_t, IMAGE);
    cudaMallocManaged(&d_image, IMAGE);
    cudaMallocManaged(&d_weights, sizeof weights);
    cudaMallocManaged(&d_rgb, 3 * 128);
    cudaMalloc(&d_out, IMAGE);
    cudaMalloc(&d_red, 4 * 64);
    for (int i = 0; i < 32 * COLUMNS; i++) d_in[i] = d_t[i] = d_image[i] = (float)(i % 10);
    for (int i = 0; i < 128; i++) d_rgb[3 * i] = i, d_rgb[3 * i + 1] = 150, d_rgb[3 * i + 2] = 250;
    memcpy(d_weights, weights, sizeof weights);
    cudaMemcpyToSymbol(c_weight, weights, sizeof weights);
    masks_of_columns<<<1, 32>>>(d_in, d_out);
    row_121<<<3, 64>>>(d_in + 1, d_out);
    along_and_across<<<1, 32>>>(d_t, d_out);
    two_masks<<<1, 64>>>(d_image, d_weights, d_out, 2);
    reds<<<1, 32>>>(d_rgb, d_red);
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
