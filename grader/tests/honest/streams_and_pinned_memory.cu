/* An honest file: streams and pinned memory. */
#include <cuda_runtime.h>
__global__ void copy(const float *in, float *out, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = in[i];
}
cudaError_t streamed(const float *h_in, float *h_out, int n) {
    float *pinned, *d_in, *d_out;
    cudaStream_t streams[2];
    cudaMallocHost(&pinned, n * sizeof(float));
    cudaMalloc(&d_in, n * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    for (cudaStream_t &stream : streams)
        cudaStreamCreate(&stream);
    for (int i = 0; i < 2; i++) {
        int at = i * (n / 2);
        cudaMemcpyAsync(d_in + at, h_in + at, n / 2 * sizeof(float), cudaMemcpyHostToDevice, streams[i]);
        copy<<<8, 128, 0, streams[i]>>>(d_in + at, d_out + at, n / 2);
        cudaMemcpyAsync(h_out + at, d_out + at, n / 2 * sizeof(float), cudaMemcpyDeviceToHost, streams[i]);
    }
    for (cudaStream_t stream : streams) {
        cudaStreamSynchronize(stream);
        cudaStreamDestroy(stream);
    }
    cudaFreeHost(pinned);
    cudaFree(d_in);
    return cudaFree(d_out);
}
