#include "../check.h"

// __syncthreads waits for one block only; block 0 reads what the other blocks may not have written.
__global__ void mean(const float *in, float *partial, float *out)
{
    int t = threadIdx.x, n = blockDim.x;
    if (t == 0) {
        float sum = 0.0f;
        for (int k = 0; k < n; k++) sum += in[blockIdx.x * n + k];
        partial[blockIdx.x] = sum;  // BUG (other side)
    }
    __syncthreads();
    if (blockIdx.x == 0 && t == 0) {
        float all = 0.0f;
        for (int b = 0; b < gridDim.x; b++)
            all += partial[b];  // BUG
        *out = all / (n * gridDim.x);
    }
}

PROGRAM(barrier_is_no_grid_barrier)
{
    const int blocks = 5, n = blocks * 40;
    float *d_in = DEVICE_ARRAY(float, n, i % 17), *d_partial = device_zeros<float>(blocks);
    float *d_out = device_zeros<float>(1);
    mean<<<blocks, 40>>>(d_in, d_partial, d_out);
    CHECK_KERNEL();
}

// Two threads write different bit fields of one word: each writes the whole word.
struct halves {
    unsigned low : 12, high : 20;
};

__global__ void set(halves *words)
{
    if (threadIdx.x % 2 == 0)
        words[threadIdx.x / 2].low = 1;  // BUG
    else
        words[threadIdx.x / 2].high = 2;  // BUG (other side)
}

PROGRAM(bit_fields_of_one_word)
{
    halves *d_words = device_zeros<halves>(32);
    set<<<1, 64>>>(d_words);
    CHECK_KERNEL();
}

// Input and output are the same image: neighbours may see filtered pixels.
__global__ void blur(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 1 || i >= n) return;
    float left = in[i - 1];  // BUG
    out[i] = 0.5f * left + 1.0f;  // BUG (other side)
}

PROGRAM(convolution_in_place)
{
    const int n = 256;
    float *d_image = DEVICE_ARRAY(float, n, i % 17);
    blur<<<4, 64>>>(d_image, d_image, n);
    CHECK_KERNEL();
}

// __threadfence_block() orders nothing for other blocks.
__device__ unsigned finished;

__global__ void sum(int *parts, int *total)
{
    if (threadIdx.x != 0) return;
    parts[blockIdx.x] = blockIdx.x;  // BUG (other side)
    __threadfence_block();
    if (atomicInc(&finished, gridDim.x) == gridDim.x - 1) {
        int s = 0;
        for (unsigned b = 0; b < gridDim.x; b++) s += parts[b];  // BUG
        *total = s;
    }
}

PROGRAM(fence_of_the_block_only)
{
    int *d_parts = device_array<int>(8), *d_total = device_array<int>(1);
    sum<<<8, 32>>>(d_parts, d_total);
    CHECK_KERNEL();
}

// Any block may set the flag, but block 0 also clears it: the order decides.
__global__ void converged(const float *a, const float *b, int *changed)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 0)
        *changed = 0;  // BUG (other side)
    __syncthreads();
    if (a[i] != b[i] && threadIdx.x == 3)
        *changed = 1;  // BUG
}

PROGRAM(flag_resets)
{
    const int n = 4 * 50;
    float *d_a = DEVICE_ARRAY(float, n, i), *d_b = DEVICE_ARRAY(float, n, i + 1);
    int *d_changed = device_zeros<int>(1);
    converged<<<4, 50>>>(d_a, d_b, d_changed);
    CHECK_KERNEL();
}

// Global memory as scratch space within one block, but without the barrier.
__global__ void two_steps(const float *in, float *tmp, float *out)
{
    int t = threadIdx.x, n = blockDim.x, i = blockIdx.x * n + t;
    tmp[i] = 2.0f * in[i];  // BUG (other side)
    float right = t + 1 < n ? tmp[i + 1] : 0.0f;  // BUG
    out[i] = right;
}

PROGRAM(neighbour_in_the_block)
{
    const int n = 2 * 96;
    float *d_in = DEVICE_ARRAY(float, n, i % 17), *d_tmp = device_zeros<float>(n);
    float *d_out = device_zeros<float>(n);
    two_steps<<<2, 96>>>(d_in, d_tmp, d_out);
    CHECK_KERNEL();
}

// The blocks store their apron as well, each with its own block's value.
#define T 32

__global__ void label(int *out, int n)
{
    int i = blockIdx.x * T + threadIdx.x - 1;
    if (i >= 0 && i < n)
        out[i] = blockIdx.x + 1;  // BUG
}

PROGRAM(overlapping_tiles)
{
    const int n = 5 * T;
    int *d_out = device_zeros<int>(n);
    label<<<5, T + 2>>>(d_out, n);
    CHECK_KERNEL();
}

// A histogram in global memory, counted with ++.
__global__ void histogram(const unsigned char *in, int *hist, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        hist[in[i]]++;  // BUG
}

PROGRAM(plain_histogram)
{
    const int n = 600;
    unsigned char *d_in = DEVICE_ARRAY(unsigned char, n, i % 10);
    int *d_hist = device_zeros<int>(256);
    histogram<<<6, 100>>>(d_in, d_hist, n);
    CHECK_KERNEL();
}

// Nothing keeps the load of the sum behind the lock: a block may read it before it holds the lock.
__device__ int bare_lock, sum_under_lock;

__global__ void add_under_lock(int value)
{
    if (threadIdx.x != 0) return;
    while (atomicCAS(&bare_lock, 0, 1) != 0) { }
    sum_under_lock += value; // BUG
    __threadfence();
    atomicExch(&bare_lock, 0);
}

PROGRAM(lock_taken_without_fence)
{
    add_under_lock<<<8, 32>>>(3);
    CHECK_KERNEL();
}

// The lock is of all blocks, and the fence behind it is of one block only.
__device__ int block_lock;

__global__ void newest(int *last, int *count)
{
    while (atomicCAS(&block_lock, 0, 1) != 0) { }
    __threadfence_block();
    *last = (int)blockIdx.x; // BUG
    __threadfence();
    atomicExch(&block_lock, 0);
    atomicAdd(count, 1);
}

PROGRAM(lock_with_fence_of_the_block)
{
    int *d_last = device_zeros<int>(1), *d_count = device_zeros<int>(1);
    newest<<<6, 1>>>(d_last, d_count);
    CHECK_KERNEL();
    EXPECT(d_count, 1, 6);
}

// One block exchanges a word, the other stores to it: which value stays?
__global__ void choose(unsigned int *word)
{
    if (blockIdx.x == 0) {
        atomicExch(word, 1u); // BUG
    } else {
        *(volatile unsigned int *)word = 2u; // BUG (other side)
    }
}

PROGRAM(volatile_store_and_exchange)
{
    unsigned int *d_word = device_zeros<unsigned int>(1);
    choose<<<2, 1>>>(d_word);
    CHECK_KERNEL();
}
