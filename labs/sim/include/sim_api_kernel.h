/* The runtime API's functions for kernels. cuda_runtime_api.h includes it. */
#ifndef SIM_API_KERNEL_H
#define SIM_API_KERNEL_H

SIM_API(cudaFuncSetAttribute, (kernel, attribute, value), const void *kernel,
        enum cudaFuncAttribute attribute, int value)
SIM_API(cudaFuncGetAttributes, (attributes, kernel), struct cudaFuncAttributes *attributes,
        const void *kernel)
SIM_API(cudaFuncSetCacheConfig, (kernel, config), const void *kernel, enum cudaFuncCache config)
SIM_API(cudaOccupancyMaxActiveBlocksPerMultiprocessor, (blocks, kernel, threads, shared),
        int *blocks, const void *kernel, int threads, size_t shared)
SIM_API(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
        (blocks, kernel, threads, shared, flags), int *blocks, const void *kernel, int threads,
        size_t shared, unsigned int flags)
SIM_API(cudaOccupancyAvailableDynamicSMemPerBlock, (shared, kernel, blocks, threads),
        size_t *shared, const void *kernel, int blocks, int threads)

#endif
