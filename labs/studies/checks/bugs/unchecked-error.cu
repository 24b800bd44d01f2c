#include "../kernels.h"

// No multiprocessor has a megabyte of shared memory: the request is refused, unnoticed.
__global__ void stage(const float *in, float *out)
{
    extern __shared__ float s_data[];
    int t = threadIdx.x;
    s_data[t] = in[t];
    __syncthreads();
    out[t] = s_data[blockDim.x - 1 - t];
}

PROGRAM(attribute_refused)
{
    const int n = 64;
    float *d_in = DEVICE_ARRAY(float, n, i % 17), *d_out = device_zeros<float>(n);
    cudaFuncSetAttribute(stage, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20);  // BUG
    stage<<<1, n, n * sizeof(float)>>>(d_in, d_out);
    CHECK(cudaDeviceSynchronize());
}

// The source's pitch is given in floats, less than a row's bytes: the call fails, unseen.
__global__ void sum_rows(const float *in, size_t pitch, float *out, int w)
{
    const float *row = (const float *)((const char *)in + threadIdx.x * pitch);
    float sum = 0.0f;
    for (int x = 0; x < w; x++) sum += row[x];
    out[threadIdx.x] = sum;
}

PROGRAM(copy_2d_pitch_too_small)
{
    const int w = 30, h = 16;
    static float h_in[w * h];
    float *d_in = NULL;
    size_t pitch, row = w * sizeof(float);
    CHECK(cudaMallocPitch((void **)&d_in, &pitch, row, h));
    CHECK(cudaMemset2D(d_in, pitch, 0, row, h));
    cudaMemcpy2D(d_in, pitch, h_in, w, row, h, cudaMemcpyHostToDevice);  // BUG
    float *d_out = device_zeros<float>(h);
    sum_rows<<<1, h>>>(d_in, pitch, d_out, w);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(d_in));
}

// A petabyte of scratch memory is refused; the program never learns it.
PROGRAM(malloc_too_large)
{
    const int n = 128;
    float *d_out = device_zeros<float>(n);
    float *d_scratch = NULL;
    cudaMalloc((void **)&d_scratch, (size_t)1 << 50);  // BUG
    ramp<<<1, n>>>(d_out);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(d_scratch));
}

// Device 99 does not exist; the program goes on with device 0 by luck.
PROGRAM(no_such_device)
{
    cudaSetDevice(99);  // BUG
    int *d_out = device_zeros<int>(50);
    ramp<<<1, 50>>>(d_out);
    CHECK(cudaDeviceSynchronize());
}

// The first call's error is kept in a variable and overwritten before anyone looks at it.
PROGRAM(overwritten_result)
{
    int *d_out = NULL, *d_extra = NULL;
    cudaError_t err = cudaMalloc((void **)&d_extra, (size_t)1 << 52);  // BUG
    err = cudaMalloc((void **)&d_out, 40 * sizeof(int));
    if (err != cudaSuccess) exit(1);
    ramp<<<1, 40>>>(d_out);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(d_out));
    CHECK(cudaFree(d_extra));
}

// 49 weights do not fit a mask of 25: nothing is copied and the result of the call is dropped.
__constant__ float c_mask[25];

__global__ void weights(float *out)
{
    if (threadIdx.x < 25) out[threadIdx.x] = c_mask[threadIdx.x];
}

PROGRAM(symbol_too_small)
{
    static float mask[49];
    for (int i = 0; i < 49; i++) mask[i] = 1.0f;
    cudaMemcpyToSymbol(c_mask, mask, sizeof mask);  // BUG
    float *d_out = device_zeros<float>(25);
    weights<<<1, 32>>>(d_out);
    CHECK(cudaDeviceSynchronize());
}
