/* The forms of the functions for graphs before CUDA 12 and 13. */
#pragma once

#include "sim/abi.h"

SIM_REMOVED("not in CUDA 12: use cudaGraphInstantiate(exec, graph, flags)")
static inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
                                               cudaGraphNode_t *error_node, char *log,
                                               size_t log_bytes, SIM_SITE) {
    if (error_node) {
        *error_node = nullptr;
    }
    if (log && log_bytes > 0) {
        *log = '\0';
    }
    return cudaGraphInstantiate(exec, graph, 0ull, sim_file, sim_line);
}

SIM_REMOVED("not in CUDA 12: use cudaGraphExecUpdate(exec, graph, &result_info)")
static inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                              cudaGraphNode_t *error_node,
                                              cudaGraphExecUpdateResult *result, SIM_SITE) {
    cudaGraphExecUpdateResultInfo information = {cudaGraphExecUpdateError, nullptr, nullptr};
    cudaError_t error = cudaGraphExecUpdate(exec, graph, &information, sim_file, sim_line);
    if (error_node) {
        *error_node = information.errorNode;
    }
    if (result) {
        *result = information.result;
    }
    return error;
}

SIM_REMOVED("not in CUDA 13: pass the data of the edges as well, or NULL")
static inline cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                                   const cudaGraphNode_t *to, size_t count,
                                                   SIM_SITE) {
    return cudaGraphAddDependencies(graph, from, to, nullptr, count, sim_file, sim_line);
}
