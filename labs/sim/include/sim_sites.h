/* For C, which has no default arguments: these calls record their line, for findings. */
#ifndef SIM_SITES_H
#define SIM_SITES_H

#define SIM_AT(call) (sim_site(__FILE__, __LINE__), call)

#define cudaMalloc(...) SIM_AT(cudaMalloc(__VA_ARGS__))
#define cudaMallocPitch(...) SIM_AT(cudaMallocPitch(__VA_ARGS__))
#define cudaFree(...) SIM_AT(cudaFree(__VA_ARGS__))
#define cudaMallocHost(...) SIM_AT(cudaMallocHost(__VA_ARGS__))
#define cudaHostAlloc(...) SIM_AT(cudaHostAlloc(__VA_ARGS__))
#define cudaFreeHost(...) SIM_AT(cudaFreeHost(__VA_ARGS__))
#define cudaHostRegister(...) SIM_AT(cudaHostRegister(__VA_ARGS__))
#define cudaMemcpy(...) SIM_AT(cudaMemcpy(__VA_ARGS__))
#define cudaMemcpyAsync(...) SIM_AT(cudaMemcpyAsync(__VA_ARGS__))
#define cudaMemcpy2D(...) SIM_AT(cudaMemcpy2D(__VA_ARGS__))
#define cudaMemset(...) SIM_AT(cudaMemset(__VA_ARGS__))
#define cudaStreamCreate(...) SIM_AT(cudaStreamCreate(__VA_ARGS__))
#define cudaEventCreate(...) SIM_AT(cudaEventCreate(__VA_ARGS__))

#endif
