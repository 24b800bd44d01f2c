#include "../check.h"

// The barrier hides in a helper, which only some threads call.
__device__ void store_and_wait(float *s_value, float v)
{
    *s_value = v;
    __syncthreads();  // BUG
}

__global__ void clip(const float *in, float *out)
{
    __shared__ float s[100];
    int t = threadIdx.x, i = blockIdx.x * 100 + t;
    s[t] = 0.0f;
    if (in[i] > 3.0f) store_and_wait(&s[t], in[i]);
    out[i] = s[t];
}

PROGRAM(barrier_in_device_function)
{
    const int n = 200;
    float *d_in = DEVICE_ARRAY(float, n, i % 17), *d_out = device_zeros<float>(n);
    clip<<<2, 100>>>(d_in, d_out);
    CHECK_KERNEL();
}

// Only the threads that load the apron reach the barrier.
#define T 64

__global__ void load_apron(const float *in, float *out)
{
    __shared__ float tile[T + 8];
    int t = threadIdx.x;
    tile[t] = in[t];
    if (t < 8) {
        tile[T + t] = in[T + t];
        __syncthreads();  // BUG
    }
    out[t] = tile[t];
}

PROGRAM(barrier_in_if)
{
    const int n = T + 8;
    float *d_in = DEVICE_ARRAY(float, n, i % 17), *d_out = device_zeros<float>(T);
    load_apron<<<1, T>>>(d_in, d_out);
    CHECK_KERNEL();
}

// A counting barrier behind && is only reached where the left side holds.
__global__ void any_bright(const float *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool bright = i < n && __syncthreads_or(in[i] > 15.0f);  // BUG
    if (i < n) out[i] = bright;
}

PROGRAM(behind_short_circuit)
{
    const int n = 150;
    float *d_in = DEVICE_ARRAY(float, n, i % 17);
    int *d_out = device_zeros<int>(n);
    any_bright<<<2, 100>>>(d_in, d_out, n);
    CHECK_KERNEL();
}

// A thread that has found its pixel breaks out of the loop that holds the barrier.
__global__ void search(const unsigned char *in, int *out, int steps)
{
    __shared__ unsigned char row[96];
    int t = threadIdx.x, found = -1, level = 0;
    for (int k = 0; k < steps; k++) {
        unsigned char v = in[k * 96 + t];
        if (v > 250) {
            found = k;
            break;
        }
        row[t] = v;
        __syncthreads();  // BUG
        level = row[t];
    }
    out[t] = found < 0 ? -level : found;
}

PROGRAM(break_before_barrier)
{
    const int steps = 4, n = steps * 96;
    unsigned char *d_in = DEVICE_ARRAY(unsigned char, n, i % 256);
    int *d_out = device_zeros<int>(96);
    search<<<1, 96>>>(d_in, d_out, steps);
    CHECK_KERNEL();
}

// Both branches have a barrier, but it is not the same one.
__global__ void both_halves(const int *in, int *out)
{
    __shared__ int s[128];
    int t = threadIdx.x;
    if (t < 64) {
        s[t] = in[t];
        __syncthreads();  // BUG
    } else {
        s[t] = -in[t];
        __syncthreads();  // BUG (other side)
    }
    out[t] = s[127 - t];
}

PROGRAM(one_barrier_per_branch)
{
    const int n = 128;
    int *d_in = DEVICE_ARRAY(int, n, i % 17), *d_out = device_zeros<int>(n);
    both_halves<<<1, n>>>(d_in, d_out);
    CHECK_KERNEL();
}

// The mask names 32 lanes, but only the 20 inside the image come to the shuffle.
__global__ void warp_sum(const float *in, float *out, int n)
{
    int lane = threadIdx.x;
    float v = 1.0f;
    if (lane < n) {
        v = in[lane];
        for (int d = 16; d > 0; d /= 2)
            v += __shfl_xor_sync(0xffffffffu, v, d);  // BUG
    }
    out[lane] = v;
}

PROGRAM(shuffle_in_branch)
{
    const int n = 20;
    float *d_in = DEVICE_ARRAY(float, n, i % 17), *d_out = device_zeros<float>(32);
    warp_sum<<<1, 32>>>(d_in, d_out, n);
    CHECK_KERNEL();
}
