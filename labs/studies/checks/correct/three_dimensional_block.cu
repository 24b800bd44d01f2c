// A 3-D block: warps run across rows and planes, every thread has its own voxel.
#include "../check.h"

__global__ void label(int *out, int w, int h, int d)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < w && y < h && z < d) out[(z * h + y) * w + x] = z;
}

int main(void)
{
    const int w = 11, h = 8, d = 7, n = w * h * d;
    int *d_out = device_array<int>(n);
    label<<<dim3(3, 2, 3), dim3(5, 4, 3)>>>(d_out, w, h, d);
    CHECK_KERNEL();
    EXPECT(d_out, n, i / (w * h));
    return finish();
}
