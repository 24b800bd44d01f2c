#include "../check.h"

// The counter is incremented atomically but read plainly, without a barrier in between.
__global__ void count(const int *in, int *out)
{
    __shared__ int s_count;
    int t = threadIdx.x;
    if (t == 0) s_count = 0;
    __syncthreads();
    if (in[t] > 5) atomicAdd(&s_count, 1);  // BUG (other side)
    if (t == 0) out[0] = s_count;  // BUG
}

PROGRAM(atomic_read_too_soon)
{
    const int n = 192;
    int *d_in = DEVICE_ARRAY(int, n, i % 17), *d_out = device_zeros<int>(1);
    count<<<1, n>>>(d_in, d_out);
    CHECK_KERNEL();
}

// Every thread sets its own bit, but a bit cannot be stored alone: |= rewrites the word.
__global__ void pack(const unsigned char *in, unsigned int *out)
{
    __shared__ unsigned int s_word;
    int t = threadIdx.x;
    if (t == 0) s_word = 0;
    __syncthreads();
    if (in[blockIdx.x * 32 + t] > 127)
        s_word |= 1u << t;  // BUG
    __syncthreads();
    if (t == 0) out[blockIdx.x] = s_word;
}

PROGRAM(bits_of_one_word)
{
    const int n = 128;
    unsigned char *d_in = DEVICE_ARRAY(unsigned char, n, (i * 37) % 256);
    unsigned int *d_out = device_zeros<unsigned int>(4);
    pack<<<4, 32>>>(d_in, d_out);
    CHECK_KERNEL();
}

// One warp writes single bytes, another reads them as words, and no barrier is between.
__global__ void gather(int *out)
{
    __shared__ int s_words[8];
    char *s_bytes = (char *)s_words;
    if (threadIdx.x < 32) s_bytes[threadIdx.x] = (char)threadIdx.x;  // BUG (other side)
    if (threadIdx.x >= 32 && threadIdx.x < 40)
        out[threadIdx.x - 32] = s_words[threadIdx.x - 32];  // BUG
}

PROGRAM(bytes_read_as_words)
{
    int *d_out = device_array<int>(8);
    gather<<<1, 64>>>(d_out);
    CHECK_KERNEL();
}

// Several threads store different values into one shared variable.
__global__ void last_bright(const unsigned char *in, int *out, int n)
{
    __shared__ int s_found;
    if (threadIdx.x == 0) s_found = -1;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        if (in[i] > 200) s_found = i;  // BUG
    __syncthreads();
    if (threadIdx.x == 0) out[0] = s_found;
}

PROGRAM(flag_with_two_values)
{
    const int n = 512;
    unsigned char *d_in = DEVICE_ARRAY(unsigned char, n, (i * 7) % 256);
    int *d_out = device_zeros<int>(1);
    last_bright<<<1, 64>>>(d_in, d_out, n);
    CHECK_KERNEL();
}

// A fast thread refills the tile while a slow one still reads the old contents.
#undef T
#define T 64

__global__ void mirrored_sum(const float *in, float *out, int tiles)
{
    __shared__ float tile[T];
    int t = threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < tiles; k++) {
        tile[t] = in[k * T + t];  // BUG (other side)
        __syncthreads();
        sum += tile[T - 1 - t];  // BUG
    }
    out[t] = sum;
}

PROGRAM(loop_without_second_barrier)
{
    const int tiles = 5, n = tiles * T;
    float *d_in = DEVICE_ARRAY(float, n, i % 17), *d_out = device_zeros<float>(T);
    mirrored_sum<<<1, T>>>(d_in, d_out, tiles);
    CHECK_KERNEL();
}

// Nothing separates filling the tile from reading the neighbour's pixel.
#undef T
#define T 96

__global__ void difference(const float *in, float *out)
{
    __shared__ float tile[T];
    int t = threadIdx.x, i = blockIdx.x * T + t;
    tile[t] = in[i];  // BUG (other side)
    float left = t > 0 ? tile[t - 1] : 0.0f;  // BUG
    out[i] = in[i] - left;
}

PROGRAM(missing_barrier)
{
    const int n = 2 * T;
    float *d_in = DEVICE_ARRAY(float, n, i % 17), *d_out = device_zeros<float>(n);
    difference<<<2, T>>>(d_in, d_out);
    CHECK_KERNEL();
}

// Each half of the warp waits for itself, and then reads what the other half writes.
__global__ void exchange(int *out)
{
    __shared__ int s_value[32];
    int lane = threadIdx.x;
    unsigned half = lane < 16 ? 0x0000ffffu : 0xffff0000u;
    s_value[lane] = lane;  // BUG (other side)
    __syncwarp(half);
    out[lane] = s_value[lane ^ 16];  // BUG
}

PROGRAM(other_half_of_the_warp)
{
    int *d_out = device_array<int>(32);
    exchange<<<1, 32>>>(d_out);
    CHECK_KERNEL();
}

// The second array in the dynamic buffer starts 8 elements before the end of the first.
__global__ void two_rows(const int *a, const int *b, int *out)
{
    extern __shared__ int s_buffer[];
    int t = threadIdx.x, n = blockDim.x;
    int *s_a = s_buffer, *s_b = s_buffer + n - 8;
    s_a[t] = a[t];  // BUG (other side)
    s_b[t] = b[t] + 100;  // BUG
    __syncthreads();
    out[t] = s_a[n - 1 - t] + s_b[t];
}

PROGRAM(overlapping_dynamic_arrays)
{
    const int n = 80;
    int *d_a = DEVICE_ARRAY(int, n, i % 17), *d_b = DEVICE_ARRAY(int, n, i % 17);
    int *d_out = device_zeros<int>(n);
    two_rows<<<1, n, 2 * n * sizeof(int)>>>(d_a, d_b, d_out);
    CHECK_KERNEL();
}

// All threads add to one shared variable without an atomic.
__global__ void total(const int *in, int *out)
{
    __shared__ int s_sum;
    if (threadIdx.x == 0) s_sum = 0;
    __syncthreads();
    s_sum += in[blockIdx.x * blockDim.x + threadIdx.x];  // BUG
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = s_sum;
}

PROGRAM(plain_accumulator)
{
    const int n = 4 * 75;
    int *d_in = DEVICE_ARRAY(int, n, 1 + i), *d_out = device_zeros<int>(4);
    total<<<4, 75>>>(d_in, d_out);
    CHECK_KERNEL();
}

// A tree reduction whose levels are not separated.
__global__ void reduce(const float *in, float *out)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (int d = 128; d > 0; d /= 2) {
        if (t < d)
            s[t] += s[t + d];  // BUG
    }
    if (t == 0) out[blockIdx.x] = s[0];
}

PROGRAM(reduction_without_barrier)
{
    const int n = 512;
    float *d_in = DEVICE_ARRAY(float, n, i % 17), *d_out = device_zeros<float>(2);
    reduce<<<2, 256>>>(d_in, d_out);
    CHECK_KERNEL();
}

// __syncwarp orders one warp; the value comes from another one.
__global__ void reverse(const int *in, int *out)
{
    __shared__ int s[128];
    int t = threadIdx.x, i = blockIdx.x * 128 + t;
    s[t] = in[i];  // BUG (other side)
    __syncwarp();
    out[i] = s[127 - t];  // BUG
}

PROGRAM(syncwarp_between_warps)
{
    const int n = 256;
    int *d_in = DEVICE_ARRAY(int, n, i % 17), *d_out = device_zeros<int>(n);
    reverse<<<2, 128>>>(d_in, d_out);
    CHECK_KERNEL();
}

// The unrolled last warp of old reduction tutorials: volatile, but no __syncwarp in between.
__global__ void reduce64(const float *in, float *out)
{
    __shared__ volatile float s[64];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 64 + t];
    __syncthreads();
    if (t < 32) {
        for (int d = 32; d > 0; d /= 2)
            s[t] = s[t] + s[t + d];  // BUG
    }
    if (t == 0) out[blockIdx.x] = s[0];
}

PROGRAM(volatile_warp_reduction)
{
    const int n = 128;
    float *d_in = DEVICE_ARRAY(float, n, i % 17), *d_out = device_zeros<float>(2);
    reduce64<<<2, 64>>>(d_in, d_out);
    CHECK_KERNEL();
}

// 32 threads are one warp, but since Volta that alone orders nothing between its lanes.
__global__ void swap_pairs(const float *in, float *out)
{
    __shared__ float s[32];
    int lane = threadIdx.x, i = blockIdx.x * 32 + lane;
    s[lane] = in[i];  // BUG (other side)
    out[i] = s[lane ^ 1];  // BUG
}

PROGRAM(warp_without_syncwarp)
{
    const int n = 96;
    float *d_in = DEVICE_ARRAY(float, n, i % 17), *d_out = device_zeros<float>(n);
    swap_pairs<<<3, 32>>>(d_in, d_out);
    CHECK_KERNEL();
}
