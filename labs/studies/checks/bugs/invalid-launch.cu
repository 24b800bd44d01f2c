#include "../kernels.h"

// 33 x 33 = 1089 threads are more than a block may have, and nobody looks at the error.
__global__ void fill_image(float *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) out[y * w + x] = 1.0f;
}

PROGRAM(block_33x33)
{
    const int w = 66, h = 66, n = w * h;
    float *d_out = device_zeros<float>(n);
    fill_image<<<dim3(2, 2), dim3(33, 33)>>>(d_out, w, h);  // BUG
}

// 4 x 2 x 80 threads are few enough, but a block may be only 64 deep.
__global__ void channels(float *out, int depth)
{
    int c = threadIdx.z;
    if (c < depth) out[(c * 2 + threadIdx.y) * 4 + threadIdx.x] = c;
}

PROGRAM(block_too_deep)
{
    const int depth = 80, n = 8 * depth;
    float *d_out = device_zeros<float>(n);
    channels<<<1, dim3(4, 2, depth)>>>(d_out, depth);  // BUG
}

// A grid may have 65535 blocks in y; this image has 70000 rows.
__global__ void row_start(unsigned char *out, int h)
{
    int y = blockIdx.y;
    if (y < h && threadIdx.x == 0) out[y] = 1;
}

PROGRAM(grid_too_high)
{
    const int h = 70000;
    unsigned char *d_out = device_zeros<unsigned char>(h);
    row_start<<<dim3(1, h), 32>>>(d_out, h);  // BUG
}

// Static and dynamic shared memory fit one by one, but not together.
__global__ void two_tiles(const float *in, float *out)
{
    __shared__ float first[64][96];
    extern __shared__ float second[];
    int t = threadIdx.x;
    for (int k = 0; k < 64; k++) first[k][t] = in[k * 96 + t];
    for (int k = 0; k < 64; k++) second[k * 96 + t] = first[k][t];
    float sum = 0.0f;
    for (int k = 0; k < 64; k++) sum += second[k * 96 + t];
    out[t] = sum;
}

PROGRAM(static_plus_dynamic_shared)
{
    const int n = 64 * 96;
    float *d_in = DEVICE_ARRAY(float, n, i % 17), *d_out = device_zeros<float>(96);
    two_tiles<<<1, 96, 30000>>>(d_in, d_out);  // BUG
}

// 60 KB of dynamic shared memory without having asked for more than the default 48.
__global__ void stage(const float *in, float *out, int n)
{
    extern __shared__ float s_data[];
    for (int i = threadIdx.x; i < n; i += blockDim.x) s_data[i] = in[i];
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = s_data[n - 1 - i];
}

PROGRAM(too_much_dynamic_shared)
{
    const int n = 15 * 1024;
    float *d_in = DEVICE_ARRAY(float, n, i % 17), *d_out = device_zeros<float>(n);
    stage<<<1, 256, n * sizeof(float)>>>(d_in, d_out, n);  // BUG
}

// The number of blocks is rounded down, and the image is smaller than one block.
PROGRAM(zero_blocks)
{
    const int n = 100;
    float *d_image = DEVICE_ARRAY(float, n, i % 17);
    int block = 256, grid = n / block;
    twice<<<grid, block>>>(d_image, n);  // BUG
}

// The block's height comes out of an integer division as 0.
__global__ void fill_rows(int *out, int w)
{
    out[threadIdx.y * w + threadIdx.x] = threadIdx.y;
}

PROGRAM(zero_threads)
{
    const int w = 64, h = 4, n = w * h;
    int *d_out = device_zeros<int>(n);
    dim3 block(w, h / 8);
    fill_rows<<<1, block>>>(d_out, w);  // BUG
}
