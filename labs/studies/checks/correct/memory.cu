#include "../kernels.h"

// The address of a freed buffer comes back for another one; freeing NULL is allowed.
__global__ void set(int *out, int v)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] = v;
}

PROGRAM(allocate_free_allocate)
{
    int *nothing = NULL, first[96];
    for (int round = 0; round < 4; round++) {
        int *d_out = NULL;
        CHECK(cudaMalloc((void **)&d_out, 96 * sizeof(int)));
        set<<<3, 32>>>(d_out, round);
        CHECK(cudaMemcpy(first, d_out, sizeof first, cudaMemcpyDeviceToHost));
        for (int i = 0; i < 96; i++)
            if (first[i] != round) failures++;
        CHECK(cudaFree(d_out));
    }
    CHECK(cudaFree(nothing));
}

// A __device__ counter, cleared and read by symbol.
__device__ int d_count;

__global__ void count_odd(const int *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] % 2) atomicAdd(&d_count, 1);
}

PROGRAM(device_variable)
{
    const int n = 500;
    int count = 0;
    int *d_in = DEVICE_ARRAY(int, n, i);
    CHECK(cudaMemcpyToSymbol(d_count, &count, sizeof count));
    count_odd<<<4, 128>>>(d_in, n);
    CHECK_KERNEL();
    CHECK(cudaMemcpyFromSymbol(&count, d_count, sizeof count));
    if (count != n / 2) failures++;
}

// A __device__ array of 1 GB and an allocation of 16 GB, of which a few pages are used.
__device__ int table[1 << 28];

__global__ void use_ends(unsigned char *bytes, size_t count, int *sum)
{
    bytes[0] = 1;
    bytes[count - 1] = 2;
    table[(1 << 28) - 1] = bytes[0] + bytes[count - 1];
    *sum = table[(1 << 28) - 1] + table[5];
}

PROGRAM(large_memory_used_in_part)
{
    const size_t count = (size_t)16 << 30;
    unsigned char *d_bytes = NULL;
    CHECK(cudaMalloc((void **)&d_bytes, count));
    int *d_sum = NULL, h_sum = 0;
    CHECK(cudaMalloc((void **)&d_sum, sizeof h_sum));
    use_ends<<<1, 1>>>(d_bytes, count, d_sum);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(&h_sum, d_sum, sizeof h_sum, cudaMemcpyDeviceToHost));
    if (h_sum != 3) failures++;
    CHECK(cudaFree(d_bytes));
    CHECK(cudaFree(d_sum));
}

// Two streams, each with its half of a pinned buffer; an event orders the last kernel.
PROGRAM(pinned_and_streams)
{
    const int n = 200, half = n / 2;
    int *pinned = pinned_array<int>(n);
    for (int i = 0; i < n; i++) pinned[i] = i;
    int *d_data = device_array<int>(n);
    cudaStream_t stream[2];
    cudaEvent_t ready;
    CHECK(cudaEventCreate(&ready));
    for (int s = 0; s < 2; s++) {
        CHECK(cudaStreamCreate(&stream[s]));
        CHECK(cudaMemcpyAsync(d_data + s * half, pinned + s * half, half * sizeof(int),
                              cudaMemcpyHostToDevice, stream[s]));
        twice<<<2, 64, 0, stream[s]>>>(d_data + s * half, half);
        CHECK(cudaGetLastError());
    }
    CHECK(cudaEventRecord(ready, stream[1]));
    CHECK(cudaStreamWaitEvent(stream[0], ready, 0));
    twice<<<4, 64, 0, stream[0]>>>(d_data, n);
    CHECK(cudaMemcpyAsync(pinned, d_data, n * sizeof(int), cudaMemcpyDeviceToHost, stream[0]));
    CHECK(cudaStreamSynchronize(stream[0]));
    for (int i = 0; i < n; i++)
        if (pinned[i] != 4 * i) failures++;
    for (int s = 0; s < 2; s++) CHECK(cudaStreamDestroy(stream[s]));
    CHECK(cudaEventDestroy(ready));
}

// Pitched memory: rows found through bytes, the padding left alone.
__global__ void add_row_number(int *image, size_t pitch, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= w || y >= h) return;
    int *row = (int *)((char *)image + y * pitch);
    row[x] += y;
}

PROGRAM(pitched_image)
{
    const int w = 53, h = 11;
    static int h_image[w * h];
    size_t pitch, row = w * sizeof(int);
    int *d_image = NULL;
    for (int i = 0; i < w * h; i++) h_image[i] = i;
    CHECK(cudaMallocPitch((void **)&d_image, &pitch, row, h));
    CHECK(cudaMemcpy2D(d_image, pitch, h_image, row, row, h, cudaMemcpyHostToDevice));
    add_row_number<<<dim3(2, h), 32>>>(d_image, pitch, w, h);
    CHECK_KERNEL();
    CHECK(cudaMemcpy2D(h_image, row, d_image, pitch, row, h, cudaMemcpyDeviceToHost));
    for (int i = 0; i < w*h; i++)
        if (h_image[i] != i + i / w) failures++;
    CHECK(cudaFree(d_image));
}

// A block that is too large is tried, the error read, and a smaller one launched.
PROGRAM(refused_launch_is_handled)
{
    const int n = 1500;
    int *d_out = device_zeros<int>(n);
    int block = 2048;
    for (;;) {
        fill<<<(n + block - 1) / block, block>>>(d_out, n, 0);
        if (cudaGetLastError() == cudaSuccess) break;
        block /= 2;
    }
    CHECK(cudaDeviceSynchronize());
    if (block != 1024) failures++;
    EXPECT(d_out, n, i);
}

// The first request is too large on purpose; the program reads the error and asks for less.
__global__ void set_7(int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 7;
}

PROGRAM(refused_malloc_is_handled)
{
    const int n = 100;
    int *d_out = NULL;
    cudaError_t err = cudaMalloc((void **)&d_out, (size_t)1 << 50);
    if (err == cudaSuccess) {
        failures++;
    } else {
        cudaGetLastError();  // forget it
        CHECK(cudaMalloc((void **)&d_out, n * sizeof(int)));
    }
    set_7<<<1, 128>>>(d_out, n);
    CHECK_KERNEL();
    EXPECT(d_out, n, 7);
    CHECK(cudaFree(d_out));
}

// A rectangle is copied out of the middle of a larger image.
__global__ void index(int *image, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) image[i] = i;
}

PROGRAM(sub_rectangle_copy)
{
    const int w = 40, h = 30, cw = 7, ch = 5, x0 = 33, y0 = 25;
    int *d_image = device_array<int>(w*h);
    index<<<10, 128>>>(d_image, w * h);
    CHECK_KERNEL();
    int crop[cw * ch];
    CHECK(cudaMemcpy2D(crop, cw * sizeof(int), d_image + y0 * w + x0, w * sizeof(int),
                       cw * sizeof(int), ch, cudaMemcpyDeviceToHost));
    for (int i = 0; i < cw * ch; i++)
        if (crop[i] != (y0 + i / cw) * w + x0 + i % cw) failures++;
}
