#include "../check.h"

// The number of rounds differs from block to block, never within a block.
__global__ void rotate(int *image)
{
    __shared__ int s[50];
    int t = threadIdx.x;
    s[t] = image[blockIdx.x * 50 + t];
    for (unsigned int k = 0; k < blockIdx.x; k++) {
        __syncthreads();
        int v = s[(t + 1) % 50];
        __syncthreads();
        s[t] = v;
    }
    image[blockIdx.x * 50 + t] = s[t];
}

PROGRAM(barrier_in_uniform_loop)
{
    const int n = 5 * 50;
    int *d_image = DEVICE_ARRAY(int, n, i % 50);
    rotate<<<5, 50>>>(d_image);
    CHECK_KERNEL();
    EXPECT(d_image, n, (i % 50 + i / 50) % 50);
}

// __syncthreads_count is reached by all, also by the threads outside the image.
__global__ void count_large(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int large = __syncthreads_count(i < n && in[i] >= 10);
    if (threadIdx.x == 0) out[blockIdx.x] = large;
}

PROGRAM(counting_barrier)
{
    const int n = 130;
    int *d_in = DEVICE_ARRAY(int, n, i % 20), *d_out = device_zeros<int>(2);
    count_large<<<2, 80>>>(d_in, d_out, n);
    CHECK_KERNEL();
    static int h_out[2];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    if (h_out[0] != 40 || h_out[1] != 20) failures++;
}

// The next tile is loaded while this one is read; one barrier a step is enough.
#define T 64

__global__ void shifted_sum(const int *in, int *out, int tiles)
{
    __shared__ int buffer[2][T];
    int t = threadIdx.x, sum = 0;
    buffer[0][t] = in[t];
    __syncthreads();
    for (int k = 0; k < tiles; k++) {
        if (k + 1 < tiles) buffer[(k + 1) % 2][t] = in[(k + 1) * T + t];
        sum += buffer[k % 2][(t + 1) % T];
        __syncthreads();
    }
    out[t] = sum;
}

PROGRAM(double_buffer)
{
    const int tiles = 5, n = tiles * T;
    int *d_in = DEVICE_ARRAY(int, n, i % T), *d_out = device_zeros<int>(T);
    shifted_sum<<<1, T>>>(d_in, d_out, tiles);
    CHECK_KERNEL();
    EXPECT(d_out, T, tiles * ((i + 1) % T));
}

// A block exchanges values through its part of a global array, with a barrier.
__global__ void reverse_twice(const int *in, int *tmp, int *out)
{
    int t = threadIdx.x, n = blockDim.x, base = blockIdx.x * n;
    tmp[base + t] = in[base + t] + 1;
    __syncthreads();
    int v = tmp[base + n - 1 - t];
    __syncthreads();
    tmp[base + t] = v;
    out[base + t] = tmp[base + t];
}

PROGRAM(global_scratch_with_barrier)
{
    const int n = 4 * 60;
    int *d_in = DEVICE_ARRAY(int, n, i % 60), *d_tmp = device_array<int>(n);
    int *d_out = device_zeros<int>(n);
    reverse_twice<<<4, 60>>>(d_in, d_tmp, d_out);
    CHECK_KERNEL();
    EXPECT(d_out, n, 60 - i % 60);
}

// Threads outside the image help to load and leave only behind the barrier.
#undef T
#define T 16

__global__ void cross(const int *in, int *out, int w, int h)
{
    __shared__ int tile[T + 2][T + 2];
    for (int j = threadIdx.y; j < T + 2; j += T)
        for (int i = threadIdx.x; i < T + 2; i += T) {
            int x = (int)blockIdx.x * T + i - 1, y = (int)blockIdx.y * T + j - 1;
            tile[j][i] = x >= 0 && x < w && y >= 0 && y < h ? in[y * w + x] : 0;
        }
    __syncthreads();
    int x = blockIdx.x * T + threadIdx.x, y = blockIdx.y * T + threadIdx.y;
    if (x >= w || y >= h) return;
    int i = threadIdx.x + 1, j = threadIdx.y + 1;
    out[y * w + x] = tile[j][i - 1] + tile[j][i + 1] + tile[j - 1][i] + tile[j + 1][i];
}

PROGRAM(return_after_last_barrier)
{
    const int w = 41, h = 27, n = w * h;
    int *d_in = DEVICE_ARRAY(int, n, 1), *d_out = device_zeros<int>(n);
    cross<<<dim3(3, 2), dim3(T, T)>>>(d_in, d_out, w, h);
    CHECK_KERNEL();
    static int h_out[n];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    int sum = 0;
    for (int i = 0; i < n; i++) sum += h_out[i];
    if (sum != 4 * n - 2 * (w + h)) failures++;
}

// expect: note barrier-divergence
// A barrier waits for the threads of the block that have not returned, on every GPU since Volta.
__global__ void smooth(const float *in, float *out, int n)
{
    __shared__ float tile[80];
    int t = threadIdx.x, i = blockIdx.x * 80 + t;
    if (i >= n) return;
    tile[t] = in[i];
    __syncthreads();
    float left = t > 0 ? tile[t - 1] : tile[t];
    out[i] = 0.5f * (left + tile[t]);
}

PROGRAM(threads_return_before_a_barrier)
{
    const int n = 210;
    float *d_in = DEVICE_ARRAY(float, n, i % 17), *d_out = device_zeros<float>(n);
    smooth<<<3, 80>>>(d_in, d_out, n);
    CHECK_KERNEL();
    print_sum(d_out, n);
}

// Registers carry the values over the barrier that separates reading from writing a tile.
__global__ void blur_in_place(int *image)
{
    __shared__ int row[70];
    int t = threadIdx.x, i = blockIdx.x * 70 + t;
    row[t] = image[i];
    __syncthreads();
    int left = t > 0 ? row[t - 1] : 0, right = t < 69 ? row[t + 1] : 0;
    __syncthreads();
    row[t] = left + row[t] + right;
    image[i] = row[t];
}

PROGRAM(warp_reads_before_it_writes)
{
    const int n = 3 * 70;
    int *d_image = DEVICE_ARRAY(int, n, 1);
    blur_in_place<<<3, 70>>>(d_image);
    CHECK_KERNEL();
    EXPECT(d_image, n, (i % 70 == 0 || i % 70 == 69 ? 2 : 3));
}
