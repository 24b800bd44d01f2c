/* An honest file: managed and pitched. */
cudaError_t various(int width, int height) {
    float *managed, *pitched, *mapped, *d_mapped;
    size_t pitch, free_bytes, all_bytes;
    cudaMallocManaged(&managed, width * sizeof(float));
    cudaMallocPitch(&pitched, &pitch, width * sizeof(float), height);
    cudaMemset2D(pitched, pitch, 0, width * sizeof(float), height);
    cudaHostAlloc(&mapped, 64, cudaHostAllocMapped);
    cudaHostGetDevicePointer(&d_mapped, mapped, 0);
    cudaMemGetInfo(&free_bytes, &all_bytes);
    cudaDeviceProp properties;
    cudaGetDeviceProperties(&properties, 0);
    cudaFree(managed);
    cudaFree(pitched);
    return cudaFreeHost(mapped);
}
