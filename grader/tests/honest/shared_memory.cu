/* An honest file: shared memory. */
#define TILE 32
__global__ void __launch_bounds__(1024) transpose(const float *__restrict__ in, float *__restrict__ out, int n) {
    __shared__ float tile[TILE][TILE + 1];
    extern __shared__ float extra[];
    tile[threadIdx.y][threadIdx.x] = __ldg(&in[threadIdx.y * n + threadIdx.x]);
    extra[threadIdx.x] = 0;
    __syncthreads();
    out[threadIdx.y * n + threadIdx.x] = tile[threadIdx.x][threadIdx.y] + extra[threadIdx.x];
}
cudaError_t call(const float *in, float *out, int n) {
    cudaFuncSetAttribute(transpose, cudaFuncAttributeMaxDynamicSharedMemorySize, 4096);
    transpose<<<1, dim3(TILE, TILE), TILE * sizeof(float)>>>(in, out, n);
    return cudaGetLastError();
}
