/* An honest file: warp functions and atomics. */
__device__ __forceinline__ float warp_sum(float x) {
    for (int offset = 16; offset; offset >>= 1)
        x += __shfl_xor_sync(0xffffffffu, x, offset);
    return x;
}
__global__ void sum(const float *in, float *total, unsigned *votes, int *largest) {
    float s = warp_sum(in[threadIdx.x]);
    if (threadIdx.x % warpSize == 0)
        atomicAdd(total, s);
    *votes = __ballot_sync(~0u, s > 0) | __popc(__activemask());
    atomicMax(largest, (int)s);
    atomicCAS(largest, 0, 1);
    __threadfence();
    *total += __expf(s) + rsqrtf(s) + fmaf(s, s, 1.0f) + __fdividef(s, 2.0f) + clock() * 0;
}
void call(const float *in, float *total, unsigned *votes, int *largest) {
    sum<<<1, 128>>>(in, total, votes, largest);
}
