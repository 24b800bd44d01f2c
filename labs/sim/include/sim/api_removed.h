/* Functions that CUDA 13 no longer has, or calls deprecated: g++ warns where a program uses one,
 * and names what to call instead. cuda_runtime_api.h includes it. */
#pragma once

#ifndef SIM_RUNTIME
#pragma GCC diagnostic warning "-Wdeprecated-declarations" /* also under -Werror */
#endif

SIM_API_VOID_REMOVED(cudaThreadSynchronize, "not in CUDA 13: use cudaDeviceSynchronize()")

#define SIM_BANKS "deprecated: the banks of shared memory have 4 bytes since compute capability 5.0"
SIM_API_REMOVED(cudaDeviceSetSharedMemConfig, SIM_BANKS, (config), enum cudaSharedMemConfig config)
SIM_API_REMOVED(cudaDeviceGetSharedMemConfig, SIM_BANKS, (config), enum cudaSharedMemConfig *config)
SIM_API_REMOVED(cudaFuncSetSharedMemConfig, SIM_BANKS, (kernel, config), const void *kernel,
                enum cudaSharedMemConfig config)
