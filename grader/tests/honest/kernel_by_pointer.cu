/* An honest file: kernel by pointer. */
__global__ void plus(float *data) { data[threadIdx.x] += 1; }
__global__ void minus(float *data) { data[threadIdx.x] -= 1; }
typedef void (*kernel)(float *);
static const kernel kernels[] = {plus, minus};
void call(int which, float *d_data) {
    kernels[which]<<<1, 32>>>(d_data);
    void *arguments[] = {&d_data};
    cudaLaunchKernel((void *)plus, dim3(1), dim3(32), arguments, 0, 0);
}
