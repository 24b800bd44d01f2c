#include "../check.h"

// Rows of 36 floats are padded and still 16-byte aligned.
__global__ void row_sums(const float *in, float *out)
{
    __shared__ __align__(16) float tile[8][36];
    int t = threadIdx.x;
    for (int y = 0; y < 8; y++) tile[y][t] = in[y * 32 + t];
    __syncthreads();
    if (t < 8) {
        float sum = 0.0f;
        for (int k = 0; k < 8; k++) {
            float4 v = *(const float4 *)&tile[t][4 * k];
            sum += v.x + v.y + v.z + v.w;
        }
        out[t] = sum;
    }
}

PROGRAM(aligned_shared_vectors)
{
    const int n = 8 * 32;
    float *d_in = DEVICE_ARRAY(float, n, i / 32), *d_out = device_zeros<float>(8);
    row_sums<<<1, 32>>>(d_in, d_out);
    CHECK_KERNEL();
    EXPECT(d_out, 8, 32 * i);
}

// Four threads write the four bytes of one word: different bytes, no race.
__global__ void reverse_bytes(const unsigned char *in, unsigned char *out)
{
    __shared__ unsigned char s[100];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    out[t] = s[99 - t];
}

PROGRAM(disjoint_bytes_shared)
{
    const int n = 100;
    unsigned char *d_in = DEVICE_ARRAY(unsigned char, n, i);
    unsigned char *d_out = device_zeros<unsigned char>(n);
    reverse_bytes<<<1, n>>>(d_in, d_out);
    CHECK_KERNEL();
    EXPECT(d_out, n, 99 - i);
}

// expect: note shared-race
// Many threads raise one flag in shared memory: they all store the same value.
__global__ void any_bright(const int *in, int *out)
{
    __shared__ int s_any;
    int t = threadIdx.x;
    if (t == 0) s_any = 0;
    __syncthreads();
    if (in[blockIdx.x * blockDim.x + t] > 12) s_any = 1;
    __syncthreads();
    if (t == 0) out[blockIdx.x] = s_any;
}

PROGRAM(same_value_shared_flag)
{
    const int n = 3 * 96;
    int *d_in = DEVICE_ARRAY(int, n, i % 17), *d_out = device_zeros<int>(3);
    any_bright<<<3, 96>>>(d_in, d_out);
    CHECK_KERNEL();
    EXPECT(d_out, 3, 1);
}

// One dynamic array holds doubles, floats and bytes, each aligned.
__global__ void mix(float *out, int n)
{
    extern __shared__ double s_carved[];
    double *s_double = s_carved;
    float *s_float = (float *)&s_double[n];
    char *s_byte = (char *)&s_float[n];
    s_double[threadIdx.x] = 1;
    s_float[threadIdx.x] = 2;
    s_byte[threadIdx.x] = 3;
    __syncthreads();
    int j = n - 1 - threadIdx.x;
    out[threadIdx.x] = (float)s_double[j] + s_float[j] + s_byte[j];
}

PROGRAM(shared_carved_in_three)
{
    const int n = 33;
    float *d_out = NULL, h_out[n];
    CHECK(cudaMalloc((void **)&d_out, sizeof h_out));
    mix<<<1, n, n * (sizeof(double) + sizeof(float) + 1)>>>(d_out, n);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        if (h_out[i] != 6.0f) failures++;
    CHECK(cudaFree(d_out));
}

// Structures with padding bytes are stored and loaded as a whole in shared memory.
struct candidate {
    char kind;  // three bytes of padding follow
    int score;
};

__global__ void swap_ends(const int *in, int *out)
{
    __shared__ candidate s[64];
    int t = threadIdx.x;
    s[t].kind = (char)(t % 4);
    s[t].score = in[t];
    __syncthreads();
    candidate c = s[63 - t];
    out[t] = c.kind * 1000 + c.score;
}

PROGRAM(structure_with_padding)
{
    const int n = 64;
    int *d_in = DEVICE_ARRAY(int, n, i), *d_out = device_zeros<int>(n);
    swap_ends<<<1, n>>>(d_in, d_out);
    CHECK_KERNEL();
    EXPECT(d_out, n, (63 - i) % 4 * 1000 + 63 - i);
}

// A 3-D block: warps run across rows and planes, every thread has its own voxel.
__global__ void label(int *out, int w, int h, int d)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < w && y < h && z < d) out[(z * h + y) * w + x] = z;
}

PROGRAM(three_dimensional_block)
{
    const int w = 11, h = 8, d = 7, n = w * h * d;
    int *d_out = device_array<int>(n);
    label<<<dim3(3, 2, 3), dim3(5, 4, 3)>>>(d_out, w, h, d);
    CHECK_KERNEL();
    EXPECT(d_out, n, i / (w * h));
}

// A halo read with an unsigned index that wraps around: the addresses of shared memory have 32 bits.
#define HALO 4

__global__ void left_sums(const int *in, int *out)
{
    __shared__ int tile[HALO + 64];
    int *inner = tile + HALO, sum = 0;
    unsigned t = threadIdx.x;
    inner[t] = in[t];
    if (t < HALO) inner[t - HALO] = 0;
    __syncthreads();
    for (unsigned k = 0; k <= HALO; k++) sum += inner[t - k];
    out[t] = sum;
}

PROGRAM(unsigned_index_of_shared)
{
    int *d_in = DEVICE_ARRAY(int, 64, 1), *d_out = device_zeros<int>(64);
    left_sums<<<1, 64>>>(d_in, d_out);
    CHECK_KERNEL();
    EXPECT(d_out, 64, i < HALO ? i + 1 : HALO + 1);
}
