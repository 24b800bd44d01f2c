#include "../check.h"

// Records of 6 bytes packed without padding: the 4-byte counter of every second one is misaligned.
__global__ void vote(unsigned char *records, int n)
{
    int i = threadIdx.x % n;
    int *counter = (int *)(records + 6 * i);
    atomicAdd(counter, 1);  // BUG
}

PROGRAM(atomic_in_packed_record)
{
    const int n = 10, bytes = 6 * n;
    unsigned char *d_records = device_zeros<unsigned char>(bytes);
    vote<<<1, 40>>>(d_records, n);
    CHECK_KERNEL();
}

// Dynamic shared memory carved in two: the doubles start behind an odd number of floats.
__global__ void row_sums(const float *in, double *out, int w)
{
    extern __shared__ __align__(16) unsigned char s_bytes[];
    float *s_row = (float *)s_bytes;
    double *s_sum = (double *)(s_row + w);
    int t = threadIdx.x;
    s_row[t] = in[blockIdx.x * w + t];
    __syncthreads();
    if (t == 0) {
        double sum = 0.0;
        for (int x = 0; x < w; x++) sum += s_row[x];
        s_sum[0] = sum;  // BUG
        out[blockIdx.x] = sum;
    }
}

PROGRAM(double_after_odd_floats)
{
    const int w = 45, h = 10, n = w * h;
    float *d_in = DEVICE_ARRAY(float, n, i % 17);
    double *d_out = device_zeros<double>(h);
    row_sums<<<h, w, w * sizeof(float) + sizeof(double)>>>(d_in, d_out, w);
    CHECK_KERNEL();
}

// Reading four floats at once from an address that is a multiple of 4 bytes only.
__global__ void sum4(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (4 * i + 5 > n) return;
    const float *mine = in + 4 * i + 1;
    float4 v = *(const float4 *)mine;  // BUG
    out[i] = v.x + v.y + v.z + v.w;
}

PROGRAM(float4_shifted_by_one)
{
    const int n = 256;
    float *d_in = DEVICE_ARRAY(float, n, i % 17), *d_out = device_zeros<float>(n);
    sum4<<<1, 64>>>(d_in, d_out, n);
    CHECK_KERNEL();
}

// A header of three bytes stands before the 4-byte counters.
__global__ void read_counters(const unsigned char *file, int *out, int n)
{
    int i = threadIdx.x;
    if (i >= n) return;
    const int *counters = (const int *)(file + 3);
    out[i] = counters[i];  // BUG
}

PROGRAM(int_from_bytes)
{
    const int n = 20, bytes = 3 + 4 * n;
    unsigned char *d_file = DEVICE_ARRAY(unsigned char, bytes, i % 17);
    int *d_out = device_zeros<int>(n);
    read_counters<<<1, 32>>>(d_file, d_out, n);
    CHECK_KERNEL();
}

// The address is odd, and the last byte lies outside: the device complains of the first.
__device__ int counter;

__global__ void spoil(void)
{
    *(int *)((char *)&counter + 1) = 42;  // BUG
}

PROGRAM(past_end_of_variable)
{
    spoil<<<1, 1>>>();
    CHECK_KERNEL();
}

// The padding that avoids bank conflicts also shifts the rows of the tile off 16 bytes.
__global__ void copy_tile(const float *in, float4 *out)
{
    __shared__ __align__(16) float tile[8][33];
    int t = threadIdx.x;
    for (int y = 0; y < 8; y++) tile[y][t] = in[y * 32 + t];
    __syncthreads();
    int y = t / 8, x4 = t % 8;
    for (; y < 8; y += 4) {
        const float4 *row = (const float4 *)tile[y];
        out[y * 8 + x4] = row[x4];  // BUG
    }
}

PROGRAM(shared_padded_row)
{
    const int n = 8 * 32;
    float *d_in = DEVICE_ARRAY(float, n, i % 17), *d_out = device_zeros<float>(n);
    copy_tile<<<1, 32>>>(d_in, (float4 *)d_out);
    CHECK_KERNEL();
}
