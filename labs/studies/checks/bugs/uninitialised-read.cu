#include "../check.h"

// Half of the source of a copy on the device was never written.
__global__ void scale(const float *in, float *out)
{
    out[threadIdx.x] = 2 * in[threadIdx.x];  // BUG
}

PROGRAM(copy_of_unwritten)
{
    float *d_first = device_array<float>(64), *d_second = device_array<float>(64);
    float *d_out = device_array<float>(64);
    CHECK(cudaMemset(d_first, 0, 32 * sizeof(float)));
    CHECK(cudaMemcpy(d_second, d_first, 64 * sizeof(float), cudaMemcpyDeviceToDevice));
    scale<<<1, 64>>>(d_second, d_out);
    CHECK_KERNEL();
}

// The output of cudaMalloc is added to without having been cleared.
__global__ void accumulate(const float *in, float *sum, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        sum[i] += in[i];  // BUG
}

PROGRAM(global_accumulator)
{
    const int n = 256;
    float *d_in = DEVICE_ARRAY(float, n, i % 17), *d_sum = device_array<float>(n);
    accumulate<<<2, 128>>>(d_in, d_sum, n);
    CHECK_KERNEL();
}

// The copy to the device counts elements where it should count bytes.
__global__ void negate(const short *in, short *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        short v = in[i];  // BUG
        out[i] = (short)-v;
    }
}

PROGRAM(half_copied)
{
    const int n = 400;
    static short h_in[n];
    for (int i = 0; i < n; i++) h_in[i] = (short)i;
    short *d_in = device_array<short>(n);
    CHECK(cudaMemcpy(d_in, h_in, n, cudaMemcpyHostToDevice));
    short *d_out = device_zeros<short>(n);
    negate<<<4, 100>>>(d_in, d_out, n);
    CHECK_KERNEL();
}

// The kernel takes the padding behind each pitched row for pixels.
__global__ void row_sum(const float *in, size_t pitch, float *out, int h)
{
    int y = threadIdx.x;
    if (y >= h) return;
    const float *row = (const float *)((const char *)in + y * pitch);
    float sum = 0.0f;
    for (size_t x = 0; x < pitch / sizeof(float); x++)
        sum += row[x];  // BUG
    out[y] = sum;
}

PROGRAM(pitch_padding)
{
    const int w = 50, h = 20;
    static float h_in[w * h];
    for (int i = 0; i < w * h; i++) h_in[i] = 1.0f;
    float *d_in = NULL;
    size_t pitch, row = w * sizeof(float);
    CHECK(cudaMallocPitch((void **)&d_in, &pitch, row, h));
    CHECK(cudaMemcpy2D(d_in, pitch, h_in, row, row, h, cudaMemcpyHostToDevice));
    float *d_out = device_zeros<float>(h);
    row_sum<<<1, 32>>>(d_in, pitch, d_out, h);
    CHECK_KERNEL();
    CHECK(cudaFree(d_in));
}

// Only the tile's interior is loaded; the apron on the left and right is read as it was.
#define T 64

__global__ void blur(const float *in, float *out, int n)
{
    __shared__ float tile[T + 2];
    int i = blockIdx.x * T + threadIdx.x;
    tile[threadIdx.x + 1] = i < n ? in[i] : 0.0f;
    __syncthreads();
    float sum = 0.0f;
    for (int k = 0; k < 3; k++)
        sum += tile[threadIdx.x + k];  // BUG
    if (i < n) out[i] = sum / 3.0f;
}

PROGRAM(shared_apron_not_loaded)
{
    const int n = 200;
    float *d_in = DEVICE_ARRAY(float, n, i % 17), *d_out = device_zeros<float>(n);
    blur<<<4, T>>>(d_in, d_out, n);
    CHECK_KERNEL();
}

// A counter in shared memory is incremented but never set to zero.
__global__ void count_bright(const float *in, int *out, int n)
{
    __shared__ int s_count;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] > 8.0f)
        atomicAdd(&s_count, 1);  // BUG
    __syncthreads();
    if (threadIdx.x == 0) atomicExch(&out[blockIdx.x], atomicExch(&s_count, 0));
}

PROGRAM(shared_counter_not_zeroed)
{
    const int n = 300;
    float *d_in = DEVICE_ARRAY(float, n, i % 17);
    int *d_out = device_zeros<int>(3);
    count_bright<<<3, 100>>>(d_in, d_out, n);
    CHECK_KERNEL();
}

// cudaMemset() ends two bytes early, so only half of the last word is written.
__global__ void increment(int *values)
{
    values[threadIdx.x] += 1;  // BUG
}

PROGRAM(two_bytes_short)
{
    int *d_values = device_array<int>(64);
    CHECK(cudaMemset(d_values, 0, 64 * sizeof(int) - 2));
    increment<<<1, 64>>>(d_values);
    CHECK_KERNEL();
}
