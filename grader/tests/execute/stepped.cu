/* Kernels whose blocks are recorded: what each shows is told by test_steps.py. */
#include <cuda_runtime.h>

enum { SIDE = 32, ROWS = 4 };
__constant__ float c_factor[2] = {2, 3};

/* Loads, a branch, conflicts, a barrier, constant memory, a reduction by shuffles, atomics. */
__global__ void everything(const float *d_in, float *d_out) {
    __shared__ float s_tile[SIDE * SIDE];
    const int x = threadIdx.x, y = threadIdx.y;
    s_tile[x * SIDE + y] = d_in[y * SIDE + x];
    if (x % 2 == 0) {
        s_tile[x * SIDE + y] += c_factor[1];
        s_tile[x * SIDE + y] += c_factor[0];
    } else {
        s_tile[x * SIDE + y] -= 1;
    }
    __syncthreads();
    float sum = s_tile[(SIDE - 1 - x) * SIDE + y];
    for (int i = 0; i < x % 4; i++) sum += d_in[i * i] * 0;
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);
    d_out[x * SIDE + y] = sum;
    atomicAdd(&d_out[1000], 1.0f);
}

/* Reads what its neighbour stores. */
__global__ void race(const float *d_in, float *d_out) {
    __shared__ float s_row[2 * SIDE];
    s_row[threadIdx.x] = d_in[threadIdx.x];
    d_out[threadIdx.x] = s_row[(threadIdx.x + 1) % (2 * SIDE)];
}

/* A thread of the second block stores far outside. */
__global__ void outside(float *d_out) {
    d_out[blockIdx.x * SIDE + threadIdx.x] = 1;
    if (blockIdx.x == 1 && threadIdx.x == 5)
        d_out[1 << 20] = 2;
}

/* Half of the threads wait at another barrier. */
__global__ void apart(float *d_out) {
    if (threadIdx.x % 2 == 1) __syncthreads();
    else __syncthreads();
    d_out[threadIdx.x] = 3;
}

int main() {
    const size_t bytes = SIDE * SIDE * sizeof(float);
    float *d_in, *d_out;
    cudaMallocManaged(&d_in, bytes);
    cudaMalloc(&d_out, bytes);
    for (int i = 0; i < SIDE * SIDE; i++) d_in[i] = i;
    cudaMemset(d_out, 0, bytes);
    everything<<<1, dim3(SIDE, ROWS)>>>(d_in, d_out);
    race<<<1, 2 * SIDE>>>(d_in, d_out);
    apart<<<1, SIDE>>>(d_out);
    outside<<<2, SIDE>>>(d_out);
    cudaDeviceSynchronize();
}
