#include "../check.h"

#include <cstring>

// Indices into arrays of a thread that look wrong: all of a table through its first row, an address
// right behind an array, a name that stands for two arrays, a shared table read across its rows.
enum { FIRST, SECOND, BOTH };

struct moments {
    float of[2];
};

__global__ void mixed(const float *in, float *out, int n)
{
    __shared__ float s_table[4][16];
    float table[3][4], values[BOTH];
    int i = threadIdx.x;
    for (int k = 0; k < 12; k++)
        table[0][k] = in[(i + k) % n];
    s_table[i / 16][i % 16] = in[i];
    __syncthreads();
    values[FIRST] = s_table[0][i], values[SECOND] = 0;
    for (const float *p = values, *end = &values[BOTH]; p < end; p++)
        values[SECOND] += *p;
    moments m = {{1, 2}};
    for (int k = 0, rows[3] = {0, 1, 2}; k < 3; k++)
        m.of[k % 2] += table[rows[k]][3];
    if (i & 1) {
        float values[8] = {};
        for (int k = 0; k < 8; k++)
            values[k] = k * table[2][k % 4];
        m.of[0] += values[7];
    }
    out[i] = m.of[0] + m.of[1] + values[SECOND];
}

PROGRAM(arrays_of_a_thread)
{
    const int n = 64;
    float *d_in = DEVICE_ARRAY(float, n, i % 17), *d_out = device_zeros<float>(n);
    mixed<<<1, n>>>(d_in, d_out, n);
    CHECK_KERNEL();
    print_sum(d_out, n);
}

// Bit fields share a word, but every thread has its own word.
struct state {
    unsigned low : 5, middle : 11, high : 16;
};

__global__ void set(state *states)
{
    state *s = &states[blockIdx.x * blockDim.x + threadIdx.x];
    s->low = threadIdx.x % 32;
    s->middle = 2;
    s->high = s->low + s->middle;
}

PROGRAM(bit_fields_of_own_word)
{
    state *d_states = device_zeros<state>(128);
    set<<<2, 64>>>(d_states);
    CHECK_KERNEL();
    static state h_states[128];
    CHECK(cudaMemcpy(h_states, d_states, sizeof h_states, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 128; i++)
        if (h_states[i].high != (unsigned)i % 32 + 2) failures++;
}

// Blocks meet inside a word of a byte image, each at its own byte.
__global__ void own_byte(unsigned char *image, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) image[i] = (unsigned char)(image[i] + blockIdx.x);
}

PROGRAM(disjoint_bytes_global)
{
    const int n = 310;
    unsigned char *d_image = device_zeros<unsigned char>(n);
    own_byte<<<10, 31>>>(d_image, n);
    CHECK_KERNEL();
    EXPECT(d_image, n, i / 31);
}

// memcpy() from any byte on: the device loads single bytes, so nothing is misaligned.
__global__ void decode(const unsigned char *bytes, int *values)
{
    int value;
    memcpy(&value, bytes + 1 + 4 * threadIdx.x, sizeof value);
    values[threadIdx.x] = value;
}

PROGRAM(integers_from_bytes)
{
    unsigned char *d_bytes = DEVICE_ARRAY(unsigned char, 129, (i - 1) % 4 ? 0 : (i - 1) / 4);
    int *d_values = device_array<int>(32);
    decode<<<1, 32>>>(d_bytes, d_values);
    CHECK_KERNEL();
    EXPECT(d_values, 32, i);
}

// The block that draws the last ticket adds up what the others published behind a fence.
__device__ unsigned int tickets;

__global__ void total(const int *in, volatile int *partial, int *out)
{
    if (threadIdx.x != 0) return;
    int sum = 0;
    for (int k = 0; k < 40; k++) sum += in[blockIdx.x * 40 + k];
    partial[blockIdx.x] = sum;
    __threadfence();
    unsigned int ticket = atomicInc(&tickets, gridDim.x - 1);
    if (ticket == gridDim.x - 1) {
        __threadfence();
        int all = 0;
        for (unsigned int b = 0; b < gridDim.x; b++) all += partial[b];
        *out = all;
    }
}

PROGRAM(last_block_with_fence)
{
    const int blocks = 7, n = blocks * 40;
    int *d_in = DEVICE_ARRAY(int, n, 3), *d_partial = device_zeros<int>(blocks);
    int *d_out = device_zeros<int>(1);
    total<<<blocks, 32>>>(d_in, d_partial, d_out);
    CHECK_KERNEL();
    EXPECT(d_out, 1, 3 * n);
}

// Packed structures: the compiler knows that their fields may lie anywhere.
struct __attribute__((packed)) record {
    char tag;
    float value;
    short count;
    double sum;
};

__global__ void update(record *records)
{
    record r = records[threadIdx.x];
    r.value += r.tag;
    r.count++;
    records[threadIdx.x] = r;
    records[threadIdx.x].sum *= 2;
}

PROGRAM(packed_records)
{
    static record h_records[40];
    for (int i = 0; i < 40; i++) h_records[i] = {(char)i, 0.5f, (short)i, i * 1.5};
    record *d_records = device_copy(h_records);
    update<<<1, 40>>>(d_records);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(h_records, d_records, sizeof h_records, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 40; i++)
        if (h_records[i].value != i + 0.5f || h_records[i].count != i + 1 ||
            h_records[i].sum != i * 3.0)
            failures++;
}

// A structure of two floats may start at any word; only float2 needs a multiple of 8.
struct pair {
    float x, y;
};

__global__ void swap(pair *pairs)
{
    pair p = pairs[threadIdx.x];
    pairs[threadIdx.x] = {p.y, p.x};
}

PROGRAM(pairs_at_odd_words)
{
    static float h_words[65];
    for (int i = 0; i < 65; i++) h_words[i] = (float)i;
    float *d_words = device_copy(h_words);
    swap<<<1, 32>>>((pair *)(d_words + 1));
    CHECK_KERNEL();
    CHECK(cudaMemcpy(h_words, d_words, sizeof h_words, cudaMemcpyDeviceToHost));
    for (int i = 1; i < 65; i++)
        if (h_words[i] != (i % 2 ? i + 1 : i - 1)) failures++;
}

// The tile's base pointer lies in front of the image, but no access does.
#define R 3

__global__ void sum7(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int *window = in + i - R;
    if (i >= n) return;
    int sum = 0;
    for (int k = 0; k <= 2 * R; k++) {
        if (i + k < R || i + k - R >= n) continue;
        sum += window[k];
    }
    out[i] = sum;
}

PROGRAM(pointer_before_the_array)
{
    const int n = 75;
    int *d_in = DEVICE_ARRAY(int, n, 1), *d_out = device_zeros<int>(n);
    sum7<<<3, 32>>>(d_in, d_out, n);
    CHECK_KERNEL();
    static int h_out[n];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    if (h_out[0] != 4 || h_out[30] != 7 || h_out[n - 1] != 4) failures++;
}

// expect: note global-race
// Threads of several blocks report a change: all store 1, and nobody reads it in this launch.
__global__ void compare(const float *a, const float *b, int *changed, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && a[i] != b[i]) *changed = 1;
}

PROGRAM(same_value_global_flag)
{
    const int n = 250;
    float *d_a = DEVICE_ARRAY(float, n, i), *d_b = DEVICE_ARRAY(float, n, i % 100);
    int *d_changed = device_zeros<int>(1);
    compare<<<4, 64>>>(d_a, d_b, d_changed, n);
    CHECK_KERNEL();
    EXPECT(d_changed, 1, 1);
}

// expect: note global-race
// Overlapping blocks clear the border; a corner is cleared more than once, always to 0.
__global__ void clear_border(int *image, int w, int h)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < w) {
        image[k] = 0;
        image[(h - 1) * w + k] = 0;
    }
    if (k < h) {
        image[k * w] = 0;
        image[k * w + w - 1] = 0;
    }
}

PROGRAM(same_value_zero_border)
{
    const int w = 90, h = 70, n = w * h;
    static int h_image[n];
    for (int i = 0; i < n; i++) h_image[i] = 1;
    int *d_image = device_copy(h_image);
    clear_border<<<3, 32>>>(d_image, w, h);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(h_image, d_image, sizeof h_image, cudaMemcpyDeviceToHost));
    int sum = 0;
    for (int i = 0; i < n; i++) sum += h_image[i];
    if (sum != (w - 2) * (h - 2)) failures++;
}

// The sign of a float is changed through the last byte of a union.
union bits {
    float value;
    unsigned char bytes[4];
};

__global__ void negate(float *values)
{
    __shared__ bits s_bits[64];
    s_bits[threadIdx.x].value = values[threadIdx.x];
    s_bits[threadIdx.x].bytes[3] ^= 0x80;
    __syncthreads();
    values[threadIdx.x] = s_bits[63 - threadIdx.x].value;
}

PROGRAM(union_of_float_and_bytes)
{
    float *d_values = DEVICE_ARRAY(float, 64, i + 1);
    negate<<<1, 64>>>(d_values);
    CHECK_KERNEL();
    EXPECT(d_values, 64, -(float)(64 - i));
}

// float4 for the whole quadruples, single floats for the remaining two.
__global__ void triple(const float *in, float *out, int n)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (4 * k + 3 < n) {
        float4 v = ((const float4 *)in)[k];
        ((float4 *)out)[k] = make_float4(3 * v.x, 3 * v.y, 3 * v.z, 3 * v.w);
    } else {
        for (int i = 4 * k; i < n; i++) out[i] = 3 * in[i];
    }
}

PROGRAM(vector_loads_with_tail)
{
    const int n = 102;
    float *d_in = DEVICE_ARRAY(float, n, i), *d_out = device_zeros<float>(n);
    triple<<<1, 32>>>(d_in, d_out, n);
    CHECK_KERNEL();
    EXPECT(d_out, n, 3 * i);
}

// Each block waits for the flag of the one before it: volatile flags, and fences around them.
#define BLOCKS 16

__device__ volatile int flags[BLOCKS], sums[BLOCKS];

__global__ void look_back(int *before)
{
    if (threadIdx.x != 0) return;
    int b = blockIdx.x, sum = 0;
    if (b > 0) {
        while (flags[b - 1] == 0) {
        }
        __threadfence();
        sum = sums[b - 1];
    }
    sums[b] = sum + b;
    __threadfence();
    flags[b] = 1;
    before[b] = sum;
}

PROGRAM(volatile_look_back)
{
    int *d_before = device_array<int>(BLOCKS);
    look_back<<<BLOCKS, 32>>>(d_before);
    CHECK_KERNEL();
    int h_before[BLOCKS];
    CHECK(cudaMemcpy(h_before, d_before, sizeof h_before, cudaMemcpyDeviceToHost));
    for (int b = 0; b < BLOCKS; b++)
        if (h_before[b] != b * (b - 1) / 2) failures++;
}

// expect: note barrier-divergence
// Whole warps return, block 32x4 on an image of 6 rows: the barrier waits for the others alone.
__global__ void column_sum(const float *in, float *out, int w, int h)
{
    __shared__ float s[4][32];
    int x = threadIdx.x, y = blockIdx.x * 4 + threadIdx.y;
    if (y >= h) return;
    s[threadIdx.y][x] = in[y * w + x];
    __syncthreads();
    if (threadIdx.y == 0) out[blockIdx.x * w + x] = s[0][x] + s[1][x];
}

PROGRAM(warps_return_before_a_barrier)
{
    const int w = 32, h = 6, n = w * h, blocks = 2;
    float *d_in = DEVICE_ARRAY(float, n, i % 17), *d_out = device_zeros<float>(blocks*w);
    column_sum<<<blocks, dim3(w, 4)>>>(d_in, d_out, w, h);
    CHECK_KERNEL();
    print_sum(d_out, blocks*w);
}

// Most of the temporary stays uninitialised; only what was written is read.
__global__ void mark(const int *in, int *tmp, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] % 5 == 0) tmp[i] = i;
}

__global__ void collect(const int *in, const int *tmp, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] % 5 == 0 ? tmp[i] : -1;
}

PROGRAM(written_only_where_read)
{
    const int n = 160;
    int *d_in = DEVICE_ARRAY(int, n, i), *d_tmp = device_array<int>(n);
    int *d_out = device_array<int>(n);
    mark<<<2, 80>>>(d_in, d_tmp, n);
    collect<<<2, 80>>>(d_in, d_tmp, d_out, n);
    CHECK_KERNEL();
    EXPECT(d_out, n, (i % 5 == 0 ? i : -1));
}

// The first block to come makes the table; the others wait until it is there.
__device__ int state; // 0: nothing, 1: in work, 2: there

__global__ void use(int *table, int *out)
{
    int seen = atomicCAS(&state, 0, 1);
    if (seen == 0) {
        for (int i = 0; i < 16; i++) table[i] = 5;
        __threadfence();
        atomicExch(&state, 2);
    } else {
        while (atomicAdd(&state, 0) != 2) { }
        __threadfence();
    }
    out[blockIdx.x] = table[blockIdx.x];
}

PROGRAM(initialised_once)
{
    int *d_table = device_array<int>(16), *d_out = device_zeros<int>(16);
    use<<<16, 1>>>(d_table, d_out);
    CHECK_KERNEL();
    EXPECT(d_out, 16, 5);
}

// A lock of all blocks, for one thread of each, then for a whole block: a fence after it is taken
// and one before it is given back.
__device__ int lock, sum;

__device__ void take(void)
{
    while (atomicCAS(&lock, 0, 1) != 0) { }
    __threadfence();
}

__device__ void give_back(void)
{
    __threadfence();
    *(volatile int *)&lock = 0;
}

__global__ void add(int value, int *histogram)
{
    if (threadIdx.x == 0) {
        take();
        sum += value;
        give_back();
        take();
    }
    __syncthreads();
    histogram[threadIdx.x] += value;
    __syncthreads();
    if (threadIdx.x == 0) give_back();
}

__global__ void copy_sum(int *out) { *out = sum; }

PROGRAM(lock_with_both_fences)
{
    int *d_histogram = device_zeros<int>(32), *d_out = device_zeros<int>(1);
    add<<<8, 32>>>(3, d_histogram);
    copy_sum<<<1, 1>>>(d_out);
    CHECK_KERNEL();
    EXPECT(d_histogram, 32, 24);
    EXPECT(d_out, 1, 24);
}

// A block waits for all blocks behind it: it polls more words than fit in a row of a few.
__global__ void last_first(volatile int *done, int *out)
{
    bool waits;
    do {
        waits = false;
        for (unsigned b = blockIdx.x + 1; b < gridDim.x; b++) waits |= done[b] == 0;
    } while (waits);
    out[blockIdx.x] = 5;
    __threadfence();
    done[blockIdx.x] = 1;
}

PROGRAM(polls_many_words)
{
    int *d_done = device_zeros<int>(16), *d_out = device_zeros<int>(16);
    last_first<<<16, 1>>>(d_done, d_out);
    CHECK_KERNEL();
    EXPECT(d_out, 16, 5);
}

// A value goes from warp to warp behind a fence of the block, and on to another block behind one of
// the device: that hands on what the warp was given.
__device__ int turn, value;

__device__ void wait_for(int number)
{
    while (atomicAdd(&turn, 0) != number) { }
    __threadfence();
}

__global__ void pass_on(int *out)
{
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        value = 7;
        __threadfence_block();
        atomicExch(&turn, 1);
    } else if (blockIdx.x == 0 && threadIdx.x == 32) {
        wait_for(1);
        value += 1;
        __threadfence();
        atomicExch(&turn, 2);
    } else if (blockIdx.x == 1 && threadIdx.x == 0) {
        wait_for(2);
        *out = value;
    }
}

PROGRAM(scopes_in_a_chain)
{
    int *d_out = device_zeros<int>(1);
    pass_on<<<2, 64>>>(d_out);
    CHECK_KERNEL();
    EXPECT(d_out, 1, 8);
}
