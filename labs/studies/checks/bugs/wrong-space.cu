#include "../kernels.h"

#include <cstdlib>
#include <cstring>

// The kernel stores its count through the address of a variable on the host's stack.
__global__ void count_large(const int *in, int *count, int n)
{
    int c = 0;
    for (int i = 0; i < n; i++) c += in[i] > 8;
    *count = c;  // BUG
}

PROGRAM(address_of_host_variable)
{
    const int n = 64;
    int count = 0;
    int *d_in = DEVICE_ARRAY(int, n, i % 17);
    count_large<<<1, 1>>>(d_in, &count, n);
    CHECK_KERNEL();
    printf("%d\n", count);
}

// The copy of the result says host to device.
PROGRAM(copy_direction)
{
    const int n = 100;
    float *d_out = device_zeros<float>(n);
    ramp<<<1, n>>>(d_out);
    CHECK_KERNEL();
    static float h_out[n];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyHostToDevice));  // BUG
    printf("%g\n", h_out[n - 1]);
}

// cudaFree gets the host's array.
PROGRAM(cudafree_of_host_memory)
{
    const int n = 25;
    int *result = (int *)malloc(n * sizeof(int));
    int *d_out = device_zeros<int>(n);
    ramp<<<1, n>>>(d_out);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(result, d_out, n * sizeof(int), cudaMemcpyDeviceToHost));
    printf("%d\n", result[n - 1]);
    CHECK(cudaFree(result));  // BUG
    free(result);
}

// The host reads the result through the device's pointer.
PROGRAM(device_pointer_on_host)
{
    int *d_out = device_zeros<int>(1);
    ramp<<<1, 1>>>(d_out);
    CHECK_KERNEL();
    printf("%d\n", *d_out);  // BUG
}

// The device's array is filled by a loop on the host.
PROGRAM(host_initialises_device_array)
{
    const int n = 50;
    float *d_image = device_array<float>(n);
    for (int i = 0; i < n; i++)
        d_image[i] = 0.5f * i;  // BUG
    twice<<<1, 64>>>(d_image, n);
    CHECK_KERNEL();
}

// The structure goes to the device, but the array it points to stays on the host.
struct mask {
    int side;
    float *weight;
};

__global__ void total(mask m, float *out)
{
    float sum = 0.0f;
    for (int k = 0; k < m.side * m.side; k++)
        sum += m.weight[k];  // BUG
    *out = sum;
}

PROGRAM(host_memory_in_struct)
{
    mask m = {3, (float *)malloc(9 * sizeof(float))};
    for (int k = 0; k < 9; k++) m.weight[k] = 1.0f / 9;
    float *d_out = NULL;
    CHECK(cudaMalloc((void **)&d_out, 1 * sizeof(float)));
    CHECK(cudaMemset(d_out, 0, 1 * sizeof(float)));
    total<<<1, 1>>>(m, d_out);
    CHECK_KERNEL();
    CHECK(cudaFree(d_out));
    free(m.weight);
}

// The kernel gets the host's array instead of its copy on the device.
__global__ void scale(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 3.0f * in[i];  // BUG
}

PROGRAM(host_pointer_to_kernel)
{
    const int n = 128;
    static float h_in[n];
    for (int i = 0; i < n; i++) h_in[i] = (float)(i % 17);
    float *d_in = device_copy(h_in), *d_out = device_zeros<float>(n);
    scale<<<2, 64>>>(h_in, d_out, n);
    CHECK_KERNEL();
}

// Plain memcpy instead of cudaMemcpy.
PROGRAM(memcpy_of_the_c_library)
{
    const int n = 40;
    static int h_out[n];
    int *d_out = device_zeros<int>(n);
    ramp<<<1, n>>>(d_out);
    CHECK_KERNEL();
    memcpy(h_out, d_out, sizeof h_out);  // BUG
    printf("%d\n", h_out[n - 1]);
}
