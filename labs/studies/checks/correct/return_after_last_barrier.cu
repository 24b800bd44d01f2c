// Threads outside the image help to load and leave only behind the barrier.
#include "../check.h"

#define T 16

__global__ void cross(const int *in, int *out, int w, int h)
{
    __shared__ int tile[T + 2][T + 2];
    for (int j = threadIdx.y; j < T + 2; j += T)
        for (int i = threadIdx.x; i < T + 2; i += T) {
            int x = (int)blockIdx.x * T + i - 1, y = (int)blockIdx.y * T + j - 1;
            tile[j][i] = x >= 0 && x < w && y >= 0 && y < h ? in[y * w + x] : 0;
        }
    __syncthreads();
    int x = blockIdx.x * T + threadIdx.x, y = blockIdx.y * T + threadIdx.y;
    if (x >= w || y >= h) return;
    int i = threadIdx.x + 1, j = threadIdx.y + 1;
    out[y * w + x] = tile[j][i - 1] + tile[j][i + 1] + tile[j - 1][i] + tile[j + 1][i];
}

int main(void)
{
    const int w = 41, h = 27, n = w * h;
    int *d_in = DEVICE_ARRAY(int, n, 1), *d_out = device_zeros<int>(n);
    cross<<<dim3(3, 2), dim3(T, T)>>>(d_in, d_out, w, h);
    CHECK_KERNEL();
    static int h_out[n];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    int sum = 0;
    for (int i = 0; i < n; i++) sum += h_out[i];
    if (sum != 4 * n - 2 * (w + h)) failures++;
    return finish();
}
