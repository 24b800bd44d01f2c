/* The runtime API's functions for graphs. cuda_runtime_api.h includes it. Not supported, and
 * refused by name: conditional nodes, nodes of external semaphores, launches from a kernel. */
#pragma once

/* ---- captures */

SIM_API(cudaStreamBeginCapture, (stream, mode), cudaStream_t stream,
        enum cudaStreamCaptureMode mode)
SIM_API(cudaStreamEndCapture, (stream, graph), cudaStream_t stream, cudaGraph_t *graph)
SIM_API(cudaStreamIsCapturing, (stream, status), cudaStream_t stream,
        enum cudaStreamCaptureStatus *status)
SIM_API(cudaStreamGetCaptureInfo, (stream, status, id, graph, dependencies, edges, count),
        cudaStream_t stream, enum cudaStreamCaptureStatus *status,
        unsigned long long *id SIM_DEFAULT(0), cudaGraph_t *graph SIM_DEFAULT(0),
        const cudaGraphNode_t **dependencies SIM_DEFAULT(0),
        const cudaGraphEdgeData **edges SIM_DEFAULT(0), size_t *count SIM_DEFAULT(0))
SIM_API(cudaThreadExchangeStreamCaptureMode, (mode), enum cudaStreamCaptureMode *mode)

/* ---- graphs */

SIM_API(cudaGraphCreate, (graph, flags), cudaGraph_t *graph, unsigned int flags)
SIM_API(cudaGraphDestroy, (graph), cudaGraph_t graph)
SIM_API(cudaGraphClone, (copy, graph), cudaGraph_t *copy, cudaGraph_t graph)
SIM_API(cudaGraphGetNodes, (graph, nodes, count), cudaGraph_t graph, cudaGraphNode_t *nodes,
        size_t *count)
SIM_API(cudaGraphGetRootNodes, (graph, nodes, count), cudaGraph_t graph, cudaGraphNode_t *nodes,
        size_t *count)
SIM_API(cudaGraphAddDependencies, (graph, from, to, edges, count), cudaGraph_t graph,
        const cudaGraphNode_t *from, const cudaGraphNode_t *to, const cudaGraphEdgeData *edges,
        size_t count)

/* ---- nodes */

#define SIM_NODE_ARGUMENTS                                                                         \
    cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies, size_t count
SIM_API(cudaGraphAddEmptyNode, (node, graph, dependencies, count), SIM_NODE_ARGUMENTS)
SIM_API(cudaGraphAddKernelNode, (node, graph, dependencies, count, parameters), SIM_NODE_ARGUMENTS,
        const struct cudaKernelNodeParams *parameters)
SIM_API(cudaGraphAddMemcpyNode, (node, graph, dependencies, count, parameters), SIM_NODE_ARGUMENTS,
        const struct cudaMemcpy3DParms *parameters)
SIM_API(cudaGraphAddMemcpyNode1D, (node, graph, dependencies, count, to, from, bytes, kind),
        SIM_NODE_ARGUMENTS, void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
SIM_API(cudaGraphAddMemsetNode, (node, graph, dependencies, count, parameters), SIM_NODE_ARGUMENTS,
        const struct cudaMemsetParams *parameters)
SIM_API(cudaGraphAddHostNode, (node, graph, dependencies, count, parameters), SIM_NODE_ARGUMENTS,
        const struct cudaHostNodeParams *parameters)
SIM_API(cudaGraphAddChildGraphNode, (node, graph, dependencies, count, child), SIM_NODE_ARGUMENTS,
        cudaGraph_t child)
SIM_API(cudaGraphAddEventRecordNode, (node, graph, dependencies, count, event), SIM_NODE_ARGUMENTS,
        cudaEvent_t event)
SIM_API(cudaGraphAddEventWaitNode, (node, graph, dependencies, count, event), SIM_NODE_ARGUMENTS,
        cudaEvent_t event)
SIM_API(cudaGraphAddMemAllocNode, (node, graph, dependencies, count, parameters),
        SIM_NODE_ARGUMENTS, struct cudaMemAllocNodeParams *parameters)
SIM_API(cudaGraphAddMemFreeNode, (node, graph, dependencies, count, memory), SIM_NODE_ARGUMENTS,
        void *memory)
SIM_API(cudaGraphNodeGetType, (node, type), cudaGraphNode_t node, enum cudaGraphNodeType *type)
SIM_API(cudaGraphKernelNodeGetParams, (node, parameters), cudaGraphNode_t node,
        struct cudaKernelNodeParams *parameters)
SIM_API(cudaGraphKernelNodeSetParams, (node, parameters), cudaGraphNode_t node,
        const struct cudaKernelNodeParams *parameters)

/* ---- executable graphs */

SIM_API(cudaGraphInstantiate, (exec, graph, flags), cudaGraphExec_t *exec, cudaGraph_t graph,
        unsigned long long flags SIM_DEFAULT(0))
SIM_API(cudaGraphInstantiateWithFlags, (exec, graph, flags), cudaGraphExec_t *exec,
        cudaGraph_t graph, unsigned long long flags SIM_DEFAULT(0))
SIM_API(cudaGraphExecDestroy, (exec), cudaGraphExec_t exec)
SIM_API(cudaGraphUpload, (exec, stream), cudaGraphExec_t exec, cudaStream_t stream)
SIM_API(cudaGraphLaunch, (exec, stream), cudaGraphExec_t exec, cudaStream_t stream)
SIM_API(cudaGraphExecUpdate, (exec, graph, information), cudaGraphExec_t exec, cudaGraph_t graph,
        cudaGraphExecUpdateResultInfo *information)
SIM_API(cudaGraphExecKernelNodeSetParams, (exec, node, parameters), cudaGraphExec_t exec,
        cudaGraphNode_t node, const struct cudaKernelNodeParams *parameters)
