/* The forms of the functions for graphs before CUDA 12 and 13. */
#pragma once

#include "sim_abi.h"

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

#define SIM_EDGES "not in CUDA 13: pass the data of the edges as well, or NULL"
SIM_REMOVED(SIM_EDGES)
static inline cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                                   const cudaGraphNode_t *to, size_t count,
                                                   SIM_SITE) {
    return cudaGraphAddDependencies(graph, from, to, nullptr, count, sim_file, sim_line);
}
SIM_REMOVED(SIM_EDGES)
static inline cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph,
                                                      const cudaGraphNode_t *from,
                                                      const cudaGraphNode_t *to, size_t count,
                                                      SIM_SITE) {
    return cudaGraphRemoveDependencies(graph, from, to, nullptr, count, sim_file, sim_line);
}
SIM_REMOVED(SIM_EDGES)
static inline cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from,
                                            cudaGraphNode_t *to, size_t *count, SIM_SITE) {
    return cudaGraphGetEdges(graph, from, to, nullptr, count, sim_file, sim_line);
}
SIM_REMOVED(SIM_EDGES)
static inline cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                                       size_t *count, SIM_SITE) {
    return cudaGraphNodeGetDependencies(node, nodes, nullptr, count, sim_file, sim_line);
}
SIM_REMOVED(SIM_EDGES)
static inline cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node,
                                                         cudaGraphNode_t *nodes, size_t *count,
                                                         SIM_SITE) {
    return cudaGraphNodeGetDependentNodes(node, nodes, nullptr, count, sim_file, sim_line);
}
