#include "../kernels.h"

#include <cstdlib>

// Every round creates an event; only the last one is destroyed.
PROGRAM(event_of_each_round)
{
    cudaEvent_t done = NULL;
    for (int round = 0; round < 3; round++) {
        CHECK(cudaEventCreate(&done));  // BUG
        fill_table<<<4, 256>>>(round);
        CHECK(cudaEventRecord(done));
        CHECK(cudaEventSynchronize(done));
    }
    CHECK(cudaEventDestroy(done));
}

// exit() ends the program before cudaFree().
PROGRAM(exit_in_the_middle)
{
    int *d_values = NULL;
    CHECK(cudaMalloc((void **)&d_values, 32 * sizeof(int)));  // BUG
    ramp<<<1, 32>>>(d_values);
    CHECK_KERNEL();
    if (failures < 5) exit(failures != 0);
    CHECK(cudaFree(d_values));
}

// The host's copy of the result is never freed.
PROGRAM(host_copy_of_the_result)
{
    const int n = 1000;
    int *h_out = (int *)malloc(n * sizeof(int)), *d_out = NULL;  // BUG
    CHECK(cudaMalloc((void **)&d_out, n * sizeof(int)));
    fill<<<4, 256>>>(d_out, n, 6);
    CHECK(cudaMemcpy(h_out, d_out, n * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        if (h_out[i] != i + 6) failures++;
    CHECK(cudaFree(d_out));
}

// The output is freed, the input is not.
PROGRAM(never_freed)
{
    const int n = 256;
    static float h_in[n];
    float *d_in = NULL;
    CHECK(cudaMalloc((void **)&d_in, sizeof h_in));  // BUG
    CHECK(cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice));
    float *d_out = device_zeros<float>(n);
    add_one<<<2, 128>>>(d_in, d_out, n);
    CHECK_KERNEL();
}

// Every frame allocates, only the last allocation is freed.
PROGRAM(one_per_frame)
{
    int *d_out = NULL;
    for (int k = 0; k < 5; k++) {
        CHECK(cudaMalloc((void **)&d_out, 64 * sizeof(int)));  // BUG
        ramp<<<1, 64>>>(d_out);
        CHECK_KERNEL();
    }
    CHECK(cudaFree(d_out));
}

// Page-locked host memory must be given back with cudaFreeHost.
PROGRAM(pinned_memory)
{
    const int n = 77;
    int *pinned = NULL;
    CHECK(cudaMallocHost((void **)&pinned, n * sizeof(int)));  // BUG
    for (int i = 0; i < n; i++) pinned[i] = i;
    int *d_image = device_array<int>(n);
    CHECK(cudaMemcpy(d_image, pinned, n * sizeof(int), cudaMemcpyHostToDevice));
    twice<<<1, 96>>>(d_image, n);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(pinned, d_image, n * sizeof(int), cudaMemcpyDeviceToHost));
    printf("%d\n", pinned[n - 1]);
}

// One of two pitched images is left behind.
__global__ void flip(const float *in, float *out, size_t pitch, int w, int h)
{
    const float *from = (const float *)((const char *)in + blockIdx.x * pitch);
    float *to = (float *)((char *)out + (h - 1 - blockIdx.x) * pitch);
    if (threadIdx.x < w) to[threadIdx.x] = from[threadIdx.x];
}

PROGRAM(pitched_memory)
{
    const int w = 45, h = 12;
    size_t row = w * sizeof(float), pitch, pitch2;
    float *d_in = NULL, *d_out = NULL;
    CHECK(cudaMallocPitch((void **)&d_in, &pitch, row, h));
    CHECK(cudaMallocPitch((void **)&d_out, &pitch2, row, h));  // BUG
    CHECK(cudaMemset2D(d_in, pitch, 0, row, h));
    flip<<<h, 64>>>(d_in, d_out, pitch, w, h);
    CHECK_KERNEL();
    CHECK(cudaFree(d_in));
}

// Memory is registered and never unregistered.
PROGRAM(registered_and_forgotten)
{
    const int n = 1000;
    static int h_data[1000];
    int *d_data = device_array<int>(n);
    CHECK(cudaHostRegister(h_data, sizeof h_data, cudaHostRegisterDefault));  // BUG
    CHECK(cudaMemcpyAsync(d_data, h_data, n * sizeof(int), cudaMemcpyHostToDevice, 0));
    CHECK(cudaDeviceSynchronize());
}

// The program resets the device and never frees its memory.
PROGRAM(reset_frees_nothing)
{
    int *d_values = NULL;
    CHECK(cudaMalloc((void **)&d_values, 32 * sizeof(int)));  // BUG
    ramp<<<1, 32>>>(d_values);
    CHECK_KERNEL();
    CHECK(cudaDeviceReset());
}

// The function returns early and forgets its stream.
static bool work(int rounds)
{
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));  // BUG
    if (rounds == 0) return false;
    for (int r = 0; r < rounds; r++) fill_table<<<4, 256, 0, stream>>>(r);
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaStreamDestroy(stream));
    return true;
}

PROGRAM(stream_lost_on_early_return)
{
    if (!work(2) || work(0)) failures++;
}
