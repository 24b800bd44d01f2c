/* An honest file: textures. */
__global__ void sample(cudaTextureObject_t texture, float *out, int width) {
    out[threadIdx.x] = tex2D<float>(texture, threadIdx.x + 0.5f, 0.5f) * width;
}
cudaError_t call(const float *h_image, int width, int height, float *d_out) {
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaMallocArray(&array, &format, width, height);
    cudaMemcpy2DToArray(array, 0, 0, h_image, width * 4, width * 4, height, cudaMemcpyHostToDevice);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc description = {};
    description.addressMode[0] = cudaAddressModeClamp;
    cudaTextureObject_t texture = 0;
    cudaCreateTextureObject(&texture, &resource, &description, nullptr);
    sample<<<1, 32>>>(texture, d_out, width);
    cudaDestroyTextureObject(texture);
    return cudaFreeArray(array);
}
