#include "../kernels.h"

// Two names for one buffer, each of them freed.
PROGRAM(double_free)
{
    const int n = 333;
    float *d_image = NULL;
    CHECK(cudaMalloc((void **)&d_image, n * sizeof(float)));
    CHECK(cudaMemset(d_image, 0, n * sizeof(float)));
    float *d_result = d_image;  // in place
    twice<<<3, 111>>>(d_image, n);
    CHECK_KERNEL();
    CHECK(cudaFree(d_image));
    CHECK(cudaFree(d_result));  // BUG
}

// The result is freed first and copied back afterwards.
PROGRAM(free_then_copy)
{
    const int n = 500;
    int *d_out = NULL;
    CHECK(cudaMalloc((void **)&d_out, n * sizeof(int)));
    CHECK(cudaMemset(d_out, 0, n * sizeof(int)));
    fill<<<5, 100>>>(d_out, n, 1);
    CHECK_KERNEL();
    CHECK(cudaFree(d_out));
    static int h_out[n];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));  // BUG
    printf("%d\n", h_out[n - 1]);
}

// The input is freed before the kernel that reads it is launched.
__global__ void halve(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 0.5f * in[i];  // BUG
}

PROGRAM(free_then_launch)
{
    const int n = 256;
    static float h_in[n];
    for (int i = 0; i < n; i++) h_in[i] = (float)(i % 17);
    float *d_in = NULL;
    CHECK(cudaMalloc((void **)&d_in, sizeof h_in));
    CHECK(cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice));
    float *d_out = device_zeros<float>(n);
    CHECK(cudaFree(d_in));
    halve<<<2, 128>>>(d_in, d_out, n);
    CHECK_KERNEL();
}

// The buffer grows: the old one is freed, but the kernel still gets the old pointer.
__global__ void write_index(int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = i;  // BUG
}

PROGRAM(freed_and_replaced)
{
    const int small = 100, large = 5000;
    int *d_old = NULL;
    CHECK(cudaMalloc((void **)&d_old, small * sizeof(int)));
    CHECK(cudaMemset(d_old, 0, small * sizeof(int)));
    write_index<<<1, 128>>>(d_old, small);
    CHECK_KERNEL();
    int *d_new = device_zeros<int>(large);
    CHECK(cudaMemcpy(d_new, d_old, small * sizeof(int), cudaMemcpyDeviceToDevice));
    CHECK(cudaFree(d_old));
    write_index<<<1, 128>>>(d_old, small);
    CHECK_KERNEL();
}

// The accumulator is cleared for the next frame although it is gone.
__global__ void add_frame(const int *frame, int *sum, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) sum[i] += frame[i];
}

PROGRAM(memset_freed)
{
    const int n = 640;
    int *d_frame = DEVICE_ARRAY(int, n, i % 17);
    int *d_sum = NULL;
    CHECK(cudaMalloc((void **)&d_sum, n * sizeof(int)));
    CHECK(cudaMemset(d_sum, 0, n * sizeof(int)));
    add_frame<<<5, 128>>>(d_frame, d_sum, n);
    CHECK_KERNEL();
    CHECK(cudaFree(d_sum));
    CHECK(cudaMemset(d_sum, 0, n * sizeof(int)));  // BUG
}
