// kernels4.cu - 20 kernels whose warps access several memory spaces in one instruction.
// Fourth ground truth for memory counters: generic pointers of which the lanes point to global,
// shared, local and constant memory, to string literals, static variables, constant tables,
// arguments, managed and page-locked memory. kernels.cu to kernels3.cu came before.
// Build: nvcc -std=c++17 -O3 -arch=native -lineinfo kernels4.cu -o kernels4
// Prints one line per kernel after all have run: name, then the sum of its outputs, which is exact.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

#define THREADS 96 // of a block: three warps

__constant__ float c_weights[256];
__device__ float d_table[256];

static __device__ int index_of_thread(void)
{
    return (int)(blockIdx.x * blockDim.x + threadIdx.x);
}

// ==== loads ==================================================================================

// Even lanes read shared memory, odd lanes global memory.
__global__ void m_load_by_parity(const float *in, float *out, int n)
{
    __shared__ float tile[THREADS];
    int i = index_of_thread(), t = threadIdx.x;
    tile[t] = (float)t;
    __syncthreads();
    const float *p = t & 1 ? in + 3 * i : tile + (t + 7) % THREADS;
    if (i < n) out[i] = *p;
}

// Lane 0 alone points into shared memory.
__global__ void m_load_lane_zero(const float *in, float *out, int n)
{
    __shared__ float first;
    int i = index_of_thread(), t = threadIdx.x;
    if (t == 0) first = 5.0f;
    __syncthreads();
    float s = 0.0f;
    for (int k = 0; k < 4; k++) {
        const float *p = t % 32 == 0 ? &first : in + i + k;
        s += *p;
    }
    if (i < n) out[i] = s;
}

// Two arrays in global memory, and one in shared memory, whose words are in one bank.
__global__ void m_load_two_arrays(const float *a, const float *b, float *out, int n)
{
    __shared__ float tile[32 * 33];
    int i = index_of_thread(), t = threadIdx.x;
    for (int k = t; k < 32 * 33; k += THREADS) tile[k] = (float)k;
    __syncthreads();
    const float *p = t % 3 == 0 ? a + i : t % 3 == 1 ? b + 9 * i : tile + (t % 32) * 32;
    if (i < n) out[i] = *p;
}

// Half of the lanes read an array of their own.
__global__ void m_load_local(const float *in, const int *pick, float *out, int n)
{
    float own[8];
    int i = index_of_thread(), t = threadIdx.x;
    for (int k = 0; k < 8; k++) own[k] = (float)(k * t);
    const float *p = t & 2 ? own + pick[i] : in + 2 * i;
    if (i < n) out[i] = *p;
}

// Lanes 0 to 7 read constant memory through a generic pointer.
__global__ void m_load_constant(const float *in, float *out, int n)
{
    int i = index_of_thread(), t = threadIdx.x;
    const float *p = t % 32 < 8 ? c_weights + t : in + i;
    if (i < n) out[i] = *p;
}

// Lane 0 reads a string literal, the others bytes of an image.
__global__ void m_load_literal(const char *in, int *out, int n)
{
    int i = index_of_thread(), t = threadIdx.x;
    const char *p = t % 32 == 0 ? "0123456789abcdefghijklmnopqrstuvwxyz" + i % 30 : in + 5 * i;
    if (i < n) out[i] = *p;
}

// All lanes index a string literal.
__global__ void m_load_digits(int *out, int n)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) out[i] = "0123456789abcdefghijklmnopqrstuvwxyz"[(7 * i) % 8];
}

// Lanes index a table that is constant.
__global__ void m_load_table(const int *pick, float *out, int n)
{
    static const float table[16] = {1, 2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47};
    int i = index_of_thread();
    if (i < n) out[i] = table[(pick[i] + i) & 15];
}

// A static variable of a kernel is in global memory; lanes read and write words of it.
__global__ void m_static(const float *in, float *out, int n)
{
    static float kept[THREADS * 64];
    int i = index_of_thread();
    kept[i] = 2.0f * in[i];
    __syncthreads();
    int other = (int)(blockIdx.x * blockDim.x) + ((int)threadIdx.x * 5) % THREADS;
    if (i < n) out[i] = kept[other];
}

// Five spaces in one instruction: global, shared, local, constant, a __device__ variable.
__global__ void m_load_five(const float *in, const int *pick, float *out, int n)
{
    __shared__ float tile[THREADS];
    float own[8];
    int i = index_of_thread(), t = threadIdx.x;
    tile[t] = (float)(t * 3);
    for (int k = 0; k < 8; k++) own[k] = (float)(k + t);
    __syncthreads();
    const float *p;
    switch (t % 5) {
    case 0: p = in + 4 * i; break;
    case 1: p = tile + (t * 32) % THREADS; break;
    case 2: p = own + pick[i]; break;
    case 3: p = c_weights + t; break;
    default: p = d_table + t; break;
    }
    if (i < n) out[i] = *p;
}

// 8 bytes: lanes of shared and global memory.
__global__ void m_load_pairs(const float2 *in, float2 *out, int n)
{
    __shared__ float2 tile[THREADS];
    int i = index_of_thread(), t = threadIdx.x;
    tile[t] = make_float2((float)t, 1.0f);
    __syncthreads();
    const float2 *p = t % 4 < 2 ? in + 2 * i : tile + (5 * t) % THREADS;
    if (i < n) out[i] = *p;
}

// 16 bytes: lanes of shared and global memory.
__global__ void m_load_quads(const float4 *in, float4 *out, int n)
{
    __shared__ float4 tile[THREADS];
    int i = index_of_thread(), t = threadIdx.x;
    tile[t] = make_float4((float)t, 1.0f, 2.0f, 3.0f);
    __syncthreads();
    const float4 *p = t % 8 == 3 ? tile + (3 * t) % THREADS : in + i;
    if (i < n) out[i] = *p;
}

// Managed memory, and shared memory.
__managed__ float m_values[THREADS * 8];
__global__ void m_load_managed(const float *in, float *out, int n)
{
    __shared__ float tile[THREADS];
    int i = index_of_thread(), t = threadIdx.x;
    tile[t] = in[i];
    __syncthreads();
    const float *p = t % 3 ? m_values + (t + 5) % THREADS : tile + t;
    if (i < n) out[i] = *p;
}

// Page-locked memory of the host, global and shared memory.
__global__ void m_load_pinned(const float *in, const float *h_in, float *out, int n)
{
    extern __shared__ float dynamic[];
    int i = index_of_thread(), t = threadIdx.x;
    dynamic[t] = (float)(t + 1);
    __syncthreads();
    const float *p = t % 3 == 0 ? dynamic + t : t % 3 == 1 ? in + i : h_in + i;
    if (i < n) out[i] = *p;
}

// ==== stores =================================================================================

// Odd lanes store to shared memory, even lanes to global memory.
__global__ void m_store_by_parity(const float *in, float *out, float *sums, int n)
{
    __shared__ float tile[THREADS];
    int i = index_of_thread(), t = threadIdx.x;
    tile[t] = 0.0f;
    __syncthreads();
    float *p = t & 1 ? tile + (t * 5) % THREADS : out + i;
    *p = in[i];
    __syncthreads();
    if (i < n) sums[i] = tile[t];
}

// Three spaces: global, shared and local memory.
__global__ void m_store_three(const float *in, const int *pick, float *out, float *sums, int n)
{
    __shared__ float tile[THREADS];
    float own[8];
    int i = index_of_thread(), t = threadIdx.x;
    tile[t] = 1.0f;
    for (int k = 0; k < 8; k++) own[k] = (float)k;
    __syncthreads();
    float *p = t % 3 == 0 ? out + 8 * i : t % 3 == 1 ? tile + t : own + pick[i];
    *p = in[i];
    __syncthreads();
    float s = tile[(t + 1) % THREADS];
    for (int k = 0; k < 8; k++) s += own[(k + pick[i]) & 7];
    if (i < n) sums[i] = s;
}

// A __device__ variable, a static one and an array.
__global__ void m_store_variables(const float *in, float *out, int n)
{
    static float kept[THREADS];
    int i = index_of_thread(), t = threadIdx.x;
    float *p = t % 3 == 0 ? d_table + t : t % 3 == 1 ? kept + t : out + i;
    if (i < n) *p = in[i];
}

// ==== atomic functions =======================================================================

// Half of the lanes add to a word of shared memory, the others to words of global memory.
__global__ void m_atomic_by_half(const int *in, int *bins, int *out, int n)
{
    __shared__ int own[8];
    int i = index_of_thread(), t = threadIdx.x;
    if (t < 8) own[t] = 0;
    __syncthreads();
    int *p = t % 32 < 16 ? own + in[i] % 8 : bins + in[i] % 64;
    atomicAdd(p, 1);
    __syncthreads();
    if (t < 8 && i < n) out[blockIdx.x * 8 + t] = own[t];
}

// ==== beside each other ======================================================================

// The arms of a branch read a texture and, through one pointer, global and shared memory.
__global__ void m_texture_arm(cudaTextureObject_t texture, const float *in, float *out, int n)
{
    __shared__ float tile[THREADS];
    int i = index_of_thread(), t = threadIdx.x;
    tile[t] = (float)(2 * t);
    __syncthreads();
    float v;
    if (t % 32 < 10) {
        v = tex1Dfetch<float>(texture, i);
    } else {
        const float *p = t & 1 ? tile + t : in + 2 * i;
        v = *p;
    }
    if (i < n) out[i] = v;
}

struct taps {
    float tap[24];
};

// An argument's array, indexed by lanes, and global memory.
__global__ void m_load_argument(const __grid_constant__ taps mask, const float *in, float *out,
                                int n)
{
    int i = index_of_thread(), t = threadIdx.x;
    const float *p = t % 32 < 24 ? &mask.tap[t % 32] : in + i;
    if (i < n) out[i] = *p;
}

// ==== the host ===============================================================================

#include "host.h"

int main()
{
    const int N = 7 * THREADS - 20, ALL = 7 * THREADS, GRID = 7;
    const float *in = to_device(noise<float>(10 * ALL, 512, 1.0f));
    const float *in_b = to_device(noise<float>(10 * ALL, 512, 1.0f));
    const int *pick = to_device(noise<int>(ALL, 8, 1));
    const int *values = to_device(noise<int>(ALL, 1000, 1));
    const char *bytes = to_device(noise<char>(6 * ALL, 100, 1));
    float *pinned = NULL;
    MUST(cudaMallocHost((void **)&pinned, ALL * sizeof(float)));
    for (int i = 0; i < ALL; i++) pinned[i] = (float)(next_random() % 512);
    std::vector<float> weights = noise<float>(256, 64, 1.0f);
    MUST(cudaMemcpyToSymbol(c_weights, weights.data(), sizeof c_weights));
    MUST(cudaMemcpyToSymbol(d_table, weights.data(), sizeof d_table));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = (void *)in_b;
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = ALL * sizeof(float);
    cudaTextureDesc how = {};
    how.readMode = cudaReadModeElementType;
    cudaTextureObject_t texture = 0;
    MUST(cudaCreateTextureObject(&texture, &resource, &how, NULL));
    taps mask;
    for (int k = 0; k < 24; k++) mask.tap[k] = (float)(k * k);

    float *o_parity = zeros<float>(ALL), *o_zero = zeros<float>(ALL), *o_two = zeros<float>(ALL);
    float *o_local = zeros<float>(ALL), *o_constant = zeros<float>(ALL), *o_five = zeros<float>(ALL);
    int *o_literal = zeros<int>(ALL), *o_digits = zeros<int>(ALL), *o_bins = zeros<int>(64);
    int *o_half = zeros<int>(ALL);
    float *o_table = zeros<float>(ALL), *o_static = zeros<float>(ALL);
    float *o_pairs = zeros<float>(2 * ALL), *o_quads = zeros<float>(4 * ALL);
    float *o_managed = zeros<float>(ALL), *o_pinned = zeros<float>(ALL);
    float *o_store = zeros<float>(ALL), *o_store_sums = zeros<float>(ALL);
    float *o_three = zeros<float>(8 * ALL), *o_three_sums = zeros<float>(ALL);
    float *o_variables = zeros<float>(ALL), *o_arm = zeros<float>(ALL), *o_arg = zeros<float>(ALL);

    for (int i = 0; i < THREADS * 8; i++) m_values[i] = (float)(next_random() % 512);

    RUN(m_load_by_parity<<<GRID, THREADS>>>(in, o_parity, N));
    RUN(m_load_lane_zero<<<GRID, THREADS>>>(in, o_zero, N));
    RUN(m_load_two_arrays<<<GRID, THREADS>>>(in, in_b, o_two, N));
    RUN(m_load_local<<<GRID, THREADS>>>(in, pick, o_local, N));
    RUN(m_load_constant<<<GRID, THREADS>>>(in, o_constant, N));
    RUN(m_load_literal<<<GRID, THREADS>>>(bytes, o_literal, N));
    RUN(m_load_digits<<<GRID, THREADS>>>(o_digits, N));
    RUN(m_load_table<<<GRID, THREADS>>>(pick, o_table, N));
    RUN(m_static<<<GRID, THREADS>>>(in, o_static, N));
    RUN(m_load_five<<<GRID, THREADS>>>(in, pick, o_five, N));
    RUN(m_load_pairs<<<GRID, THREADS>>>((const float2 *)in, (float2 *)o_pairs, N));
    RUN(m_load_quads<<<GRID, THREADS>>>((const float4 *)in, (float4 *)o_quads, N));
    RUN(m_load_managed<<<GRID, THREADS>>>(in, o_managed, N));
    RUN(m_load_pinned<<<GRID, THREADS, THREADS * sizeof(float)>>>(in, pinned, o_pinned, N));
    RUN(m_store_by_parity<<<GRID, THREADS>>>(in, o_store, o_store_sums, N));
    RUN(m_store_three<<<GRID, THREADS>>>(in, pick, o_three, o_three_sums, N));
    RUN(m_store_variables<<<1, THREADS>>>(in, o_variables, THREADS));
    RUN(m_atomic_by_half<<<GRID, THREADS>>>(values, o_bins, o_half, N));
    RUN(m_texture_arm<<<GRID, THREADS>>>(texture, in, o_arm, N));
    RUN(m_load_argument<<<GRID, THREADS>>>(mask, in, o_arg, N));

    printf("m_load_by_parity %.17g\n", sum(o_parity, ALL));
    printf("m_load_lane_zero %.17g\n", sum(o_zero, ALL));
    printf("m_load_two_arrays %.17g\n", sum(o_two, ALL));
    printf("m_load_local %.17g\n", sum(o_local, ALL));
    printf("m_load_constant %.17g\n", sum(o_constant, ALL));
    printf("m_load_literal %.17g\n", sum(o_literal, ALL));
    printf("m_load_digits %.17g\n", sum(o_digits, ALL));
    printf("m_load_table %.17g\n", sum(o_table, ALL));
    printf("m_static %.17g\n", sum(o_static, ALL));
    printf("m_load_five %.17g\n", sum(o_five, ALL));
    printf("m_load_pairs %.17g\n", sum(o_pairs, 2 * ALL));
    printf("m_load_quads %.17g\n", sum(o_quads, 4 * ALL));
    printf("m_load_managed %.17g\n", sum(o_managed, ALL));
    printf("m_load_pinned %.17g\n", sum(o_pinned, ALL));
    printf("m_store_by_parity %.17g\n", sum(o_store, ALL) + sum(o_store_sums, ALL));
    printf("m_store_three %.17g\n", sum(o_three, 8 * ALL) + sum(o_three_sums, ALL));
    printf("m_store_variables %.17g\n", sum(o_variables, ALL));
    printf("m_atomic_by_half %.17g\n", sum(o_bins, 64) + sum(o_half, ALL));
    printf("m_texture_arm %.17g\n", sum(o_arm, ALL));
    printf("m_load_argument %.17g\n", sum(o_arg, ALL));

    MUST(cudaDestroyTextureObject(texture));
    MUST(cudaFreeHost(pinned));
    for (void *p : buffers) MUST(cudaFree(p));
    return 0;
}
