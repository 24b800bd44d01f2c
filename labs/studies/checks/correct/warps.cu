#include "../check.h"

// Each half of the warp exchanges values within itself, and names only itself in __syncwarp().
__global__ void exchange(int *out)
{
    __shared__ int s_value[32];
    int lane = threadIdx.x;
    unsigned half = lane < 16 ? 0x0000ffffu : 0xffff0000u;
    s_value[lane] = lane;
    __syncwarp(half);
    int other = s_value[lane ^ 15];
    __syncwarp(half);
    s_value[lane] = other;
    __syncwarp(half);
    out[lane] = s_value[lane ^ 8];
}

PROGRAM(half_warps_meet_apart)
{
    int *d_out = NULL, h_out[32];
    CHECK(cudaMalloc((void **)&d_out, sizeof h_out));
    exchange<<<1, 32>>>(d_out);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; i++)
        if (h_out[i] != (i ^ 8 ^ 15)) failures++;
    CHECK(cudaFree(d_out));
}

// A block of 40: the second warp has 8 lanes and shuffles under the mask of those.
__global__ void sum_of_eight(const int *in, int *out)
{
    int t = threadIdx.x;
    unsigned int mask = t < 32 ? 0xffffffffu : 0x000000ffu;
    int v = in[t];
    for (int d = 4; d > 0; d /= 2) v += __shfl_down_sync(mask, v, d, 8);
    if (t % 8 == 0) out[t / 8] = v;
}

PROGRAM(partial_warp_shuffle)
{
    const int n = 40;
    int *d_in = DEVICE_ARRAY(int, n, i), *d_out = device_zeros<int>(5);
    sum_of_eight<<<1, n>>>(d_in, d_out);
    CHECK_KERNEL();
    EXPECT(d_out, 5, 64 * i + 28);
}

// The ballot before the branch says who will come to the shuffle inside it.
__global__ void first_of_group(const int *in, int *out, int n)
{
    int lane = threadIdx.x;
    unsigned int mask = __ballot_sync(0xffffffffu, lane < n);
    int v = -1;
    if (lane < n) {
        v = in[lane];
        v = __shfl_sync(mask, v, lane / 5 * 5);
    }
    out[lane] = v;
}

PROGRAM(shuffle_under_ballot)
{
    const int n = 20;
    int *d_in = DEVICE_ARRAY(int, n, 100 + i), *d_out = device_zeros<int>(32);
    first_of_group<<<1, 32>>>(d_in, d_out, n);
    CHECK_KERNEL();
    EXPECT(d_out, 32, (i < n ? 100 + i / 5 * 5 : -1));
}

// The last warp reduces alone, with a __syncwarp between every read and write.
__global__ void reduce64(const int *in, int *out)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 64 + t];
    __syncthreads();
    if (t < 32) {
        for (int d = 32; d > 0; d /= 2) {
            int v = s[t] + s[t + d];
            __syncwarp();
            s[t] = v;
            __syncwarp();
        }
    }
    if (t == 0) out[blockIdx.x] = s[0];
}

PROGRAM(syncwarp_reduction)
{
    const int n = 256;
    int *d_in = DEVICE_ARRAY(int, n, 1), *d_out = device_zeros<int>(4);
    reduce64<<<4, 64>>>(d_in, d_out);
    CHECK_KERNEL();
    EXPECT(d_out, 4, 64);
}
