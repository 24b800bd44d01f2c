/* Assembly only for a device that the simulator does not stand for. */
__device__ unsigned lane() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 300
    unsigned result;
    asm("mov.u32 %0, %laneid;" : "=r"(result));
    return result;
#else
    return threadIdx.x % warpSize;
#endif
}
__global__ void lanes(unsigned *out) { out[threadIdx.x] = lane(); }
void call(unsigned *out) { lanes<<<1, 32>>>(out); }
