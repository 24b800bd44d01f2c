/* An honest file: device tables. */
static __device__ float table[256];
__device__ int counter;
__device__ const float weights[3] = {0.25f, 0.5f, 0.25f};
__constant__ int c_width;
__managed__ float result;
__global__ void fill() {
    table[threadIdx.x] = weights[threadIdx.x % 3] * c_width;
    atomicAdd(&counter, 1);
    result = table[0];
}
float call(int width) {
    cudaMemcpyToSymbol(c_width, &width, sizeof width);
    fill<<<1, 256>>>();
    cudaDeviceSynchronize();
    int count = 0;
    cudaMemcpyFromSymbol(&count, counter, sizeof count);
    return result + count;
}
