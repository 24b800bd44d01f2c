#include "../kernels.h"

// A mask of radius 2 has 5 weights; the loop with <= reads a sixth.
__constant__ float c_mask[5];
__constant__ float c_other[64];

__global__ void convolve(const float *in, float *out, int n, int side)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + side >= n) return;
    float sum = c_other[threadIdx.x];
    for (int k = 0; k <= side; k++)
        sum += in[i + k] * c_mask[k];  // BUG
    out[i] = sum;
}

PROGRAM(constant_array)
{
    const int n = 150;
    float *d_in = DEVICE_ARRAY(float, n, i % 17), *d_out = device_zeros<float>(n);
    float mask[5] = {0.125f, 0.25f, 0.25f, 0.25f, 0.125f}, other[64] = {};
    CHECK(cudaMemcpyToSymbol(c_mask, mask, sizeof mask));
    CHECK(cudaMemcpyToSymbol(c_other, other, sizeof other));
    convolve<<<3, 64>>>(d_in, d_out, n, 5);
    CHECK_KERNEL();
}

// The copy back asks for more bytes than were allocated on the device.
PROGRAM(copy_too_long)
{
    const int n = 128;
    float *d_in = DEVICE_ARRAY(float, n, i % 17), *d_out = device_zeros<float>(n);
    add_one<<<2, 64>>>(d_in, d_out, n);
    CHECK_KERNEL();
    static float result[2 * n];
    CHECK(cudaMemcpy(result, d_out, sizeof result, cudaMemcpyDeviceToHost));  // BUG
    printf("%g\n", result[n - 1]);
}

// A look-up table of 128 entries in a __device__ array meets pixels up to 200.
__device__ float d_levels[128];

__global__ void map_levels(const unsigned char *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = d_levels[in[i]];  // BUG
}

PROGRAM(device_variable)
{
    const int n = 400;
    float table[128];
    for (int k = 0; k < 128; k++) table[k] = 0.5f * k;
    CHECK(cudaMemcpyToSymbol(d_levels, table, sizeof table));
    unsigned char *d_in = DEVICE_ARRAY(unsigned char, n, i % 201);
    float *d_out = device_zeros<float>(n);
    map_levels<<<4, 100>>>(d_in, d_out, n);
    CHECK_KERNEL();
}

// The third launch parameter is missing: the dynamic array has no bytes at all.
__global__ void reverse_block(const int *in, int *out)
{
    extern __shared__ int s_data[];
    int t = threadIdx.x, n = blockDim.x;
    s_data[t] = in[blockIdx.x * n + t];  // BUG
    __syncthreads();
    out[blockIdx.x * n + t] = s_data[n - 1 - t];
}

PROGRAM(dynamic_shared_forgotten)
{
    const int n = 4 * 50;
    int *d_in = DEVICE_ARRAY(int, n, i % 17), *d_out = device_zeros<int>(n);
    reverse_block<<<4, 50>>>(d_in, d_out);
    CHECK_KERNEL();
}

// One entry of the index table points far outside the image.
__global__ void gather(const float *image, const int *index, float *out, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        out[i] = image[index[i]];  // BUG
}

PROGRAM(gather_bad_index)
{
    const int n = 90;
    float *d_image = DEVICE_ARRAY(float, n, i % 17);
    int *d_index = DEVICE_ARRAY(int, n, i == 71 ? 40000 : (7 * i) % n);
    float *d_out = device_zeros<float>(n);
    gather<<<1, 33>>>(d_image, d_index, d_out, n);
    CHECK_KERNEL();
}

// Pixel 255 falls into bin 64 of 64: the atomic leaves the shared histogram.
#define BINS 64

__global__ void histogram(const unsigned char *in, unsigned int *hist, int n)
{
    __shared__ unsigned int bins[BINS];
    __shared__ unsigned int total;
    if (threadIdx.x < BINS) bins[threadIdx.x] = 0;
    if (threadIdx.x == 0) total = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        atomicAdd(&bins[(in[i] + 1) / 4], 1u);  // BUG
        atomicAdd(&total, 1u);
    }
    __syncthreads();
    if (threadIdx.x < BINS) hist[threadIdx.x] = bins[threadIdx.x] + total;
}

PROGRAM(histogram_bin)
{
    const int n = 512;
    unsigned char *d_in = DEVICE_ARRAY(unsigned char, n, i % 256);
    unsigned int *d_hist = device_zeros<unsigned int>(BINS);
    histogram<<<1, 128>>>(d_in, d_hist, n);
    CHECK_KERNEL();
}

// The guard says <= where it should say <: one thread of the last block writes past the end.
__global__ void invert(const unsigned char *in, unsigned char *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) {
        unsigned char v = i < n ? in[i] : 0;
        out[i] = 255 - v;  // BUG
    }
}

PROGRAM(last_block_less_equal)
{
    const int n = 1000;
    unsigned char *d_in = DEVICE_ARRAY(unsigned char, n, i % 251);
    unsigned char *d_out = device_zeros<unsigned char>(n);
    invert<<<(n + 95) / 96, 96>>>(d_in, d_out, n);
    CHECK_KERNEL();
}

// Writes that leave one allocation by whole rows and fall into the next one.
__global__ void fill_rows(float *image, int w, int rows, float value)
{
    int x = threadIdx.x;
    for (int y = 0; y <= rows; y++)
        image[y * w + x] = value;  // BUG
}

PROGRAM(neighbouring_array)
{
    const int w = 64, rows = 8, n = w * rows;
    float *d_first = device_zeros<float>(n), *d_second = device_zeros<float>(n);
    fill_rows<<<1, w>>>(d_first, w, rows, 3.0f);
    CHECK_KERNEL();
}

// The tile has no room for the apron below: row 16 of a tile of 16 rows.
#define T 16

__global__ void smooth_down(const float *in, float *out, int w, int h)
{
    __shared__ float tile[T][T];
    int x = blockIdx.x * T + threadIdx.x, y = blockIdx.y * T + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = x < w && y < h ? in[y * w + x] : 0.0f;
    __syncthreads();
    const float *mine = &tile[threadIdx.y][threadIdx.x];
    float below = mine[T];  // BUG
    if (x < w && y < h) out[y * w + x] = 0.5f * (*mine + below);
}

PROGRAM(shared_last_row)
{
    const int w = 40, h = 30, n = w * h;
    float *d_in = DEVICE_ARRAY(float, n, i % 17), *d_out = device_zeros<float>(n);
    smooth_down<<<dim3(3, 2), dim3(T, T)>>>(d_in, d_out, w, h);
    CHECK_KERNEL();
}

// The apron on the left is read at index -1, in front of the tile.
__global__ void gradient(const int *in, int *out, int n)
{
    __shared__ int s_row[96];
    int t = threadIdx.x, i = blockIdx.x * 96 + t;
    s_row[t] = i < n ? in[i] : 0;
    __syncthreads();
    int before = s_row[t - 1];  // BUG
    if (i < n) out[i] = s_row[t] - before;
}

PROGRAM(shared_negative)
{
    const int n = 250;
    int *d_in = DEVICE_ARRAY(int, n, i % 17), *d_out = device_zeros<int>(n);
    gradient<<<3, 96>>>(d_in, d_out, n);
    CHECK_KERNEL();
}

// The index leaves the tile but not the block's shared memory: it lands in the array behind it.
#undef T
#define T 64

__global__ void difference(const float *in, const float *weight, float *out)
{
    __shared__ float tile[T];
    __shared__ float s_weight[T];
    int t = threadIdx.x;
    tile[t] = in[blockIdx.x * T + t];
    s_weight[t] = weight[t];
    __syncthreads();
    float next = tile[t + 1];  // BUG
    out[blockIdx.x * T + t] = (next - tile[t]) * s_weight[t];
}

PROGRAM(shared_next_array)
{
    const int n = 4 * T;
    float *d_in = DEVICE_ARRAY(float, n, i % 17), *d_weight = DEVICE_ARRAY(float, T, 1 + i % 3);
    float *d_out = device_zeros<float>(n);
    difference<<<4, T>>>(d_in, d_weight, d_out);
    CHECK_KERNEL();
}

// The array has room for all of the last structure but its last word.
struct point {
    int x, y, z;
};

__global__ void set(point *points)
{
    points[threadIdx.x] = {1, 2, 3};  // BUG
}

PROGRAM(tail_of_structure)
{
    point *d_points = NULL;
    CHECK(cudaMalloc((void **)&d_points, 32 * sizeof(point) - sizeof(int)));
    set<<<1, 32>>>(d_points);
    CHECK_KERNEL();
    CHECK(cudaFree(d_points));
}

// The left neighbour of the first pixel: an unsigned index of 0 less 1 is 4294967295.
__global__ void differences(const float *in, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i] - in[i - 1];  // BUG
}

PROGRAM(unsigned_index)
{
    const int n = 100;
    float *d_in = DEVICE_ARRAY(float, n, i % 17), *d_out = device_zeros<float>(n);
    differences<<<2, 64>>>(d_in, d_out, n);
    CHECK_KERNEL();
}

// 102 floats are 25 float4 and a half: the load of the 26th ends 8 bytes past the array.
__global__ void scale4(const float4 *in, float4 *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (4 * i >= n) return;
    float4 v = in[i];  // BUG
    out[i] = make_float4(2 * v.x, 2 * v.y, 2 * v.z, 2 * v.w);
}

PROGRAM(vector_load_tail)
{
    const int n = 102, padded = 104;
    float *d_in = DEVICE_ARRAY(float, n, i % 17), *d_out = device_zeros<float>(padded);
    scale4<<<1, 32>>>((const float4 *)d_in, (float4 *)d_out, n);
    CHECK_KERNEL();
}

// A thread collects its window in an array with room for a smaller one; and the fifth column of its
// table of four is the first of the next row.
template <int ROOM>
__global__ void largest(const float *in, float *out, int n, int radius, int columns)
{
    float window[ROOM], table[3][4];
    int i = blockIdx.x * blockDim.x + threadIdx.x, count = 0;
    if (i >= n) return;
    for (int k = -radius; k <= radius; k++)
        window[count++] = in[min(max(i + k, 0), n - 1)];  // BUG
    float most = window[0];
    for (int k = 0; k < 12; k++)
        table[k / 4][k % 4] = window[k % ROOM];
    for (int y = 0; y < 2; y++)
        for (int x = 0; x < columns; x++)
            most = max(most, table[y][x]);  // BUG
    out[i] = most;
}

PROGRAM(window_of_a_thread)
{
    const int n = 100;
    float *d_in = DEVICE_ARRAY(float, n, i % 17), *d_out = device_zeros<float>(n);
    largest<5><<<2, 64>>>(d_in, d_out, n, 3, 5);
    CHECK_KERNEL();
}
