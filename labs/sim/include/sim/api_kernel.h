/* The runtime API's functions for kernels. cuda_runtime_api.h includes it. */
#pragma once

SIM_API(cudaFuncSetAttribute, (kernel, attribute, value), const void *kernel,
        enum cudaFuncAttribute attribute, int value)
SIM_API(cudaFuncGetAttributes, (attributes, kernel), struct cudaFuncAttributes *attributes,
        const void *kernel)
SIM_API(cudaFuncSetCacheConfig, (kernel, config), const void *kernel, enum cudaFuncCache config)
SIM_API(cudaOccupancyMaxActiveBlocksPerMultiprocessor, (blocks, kernel, threads, shared),
        int *blocks, const void *kernel, int threads, size_t shared)

/* ---- launches with the addresses of the arguments */

SIM_API(cudaLaunchKernel, (kernel, grid, block, arguments, shared, stream), const void *kernel,
        dim3 grid, dim3 block, void **arguments, size_t shared SIM_DEFAULT(0),
        cudaStream_t stream SIM_DEFAULT(0))
SIM_API(cudaLaunchCooperativeKernel, (kernel, grid, block, arguments, shared, stream),
        const void *kernel, dim3 grid, dim3 block, void **arguments, size_t shared SIM_DEFAULT(0),
        cudaStream_t stream SIM_DEFAULT(0))
SIM_API(cudaLaunchKernelExC, (config, kernel, arguments), const cudaLaunchConfig_t *config,
        const void *kernel, void **arguments)
