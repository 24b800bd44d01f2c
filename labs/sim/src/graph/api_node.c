/* Nodes: adding them, reading and changing their parameters. */
#include "api/api.h"
#include "graph/node_parameters.h"

/* Adds a node with this content. */
static cudaError_t add(cudaGraphNode_t *node, cudaGraph_t graph,
                       const cudaGraphNode_t *dependencies, size_t count,
                       struct sim_node_content content) {
    sim_lock_graphs();
    const struct sim_operation *frees = content.type == cudaGraphNodeTypeMemFree && content.steps
                                            ? &content.steps->operation
                                            : NULL;
    bool valid = content.error == cudaSuccess && node && sim_is_graph(graph) &&
                 (dependencies || count == 0) &&
                 (!frees || sim_may_free(graph, frees->ranges[0].from, frees->location));
    struct sim_graph_node *added =
        valid ? sim_add_node(graph, content.type, dependencies, count) : NULL;
    if (added) {
        *node = added;
    }
    cudaError_t error = sim_set_content(added, content);
    sim_unlock_graphs();
    return error;
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                  const cudaGraphNode_t *dependencies, size_t count) {
    SIM_BEGIN(cudaErrorInvalidValue);
    const struct sim_node_content content = {.type = cudaGraphNodeTypeEmpty};
    return add(node, graph, dependencies, count, content);
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                   const cudaGraphNode_t *dependencies, size_t count,
                                   const struct cudaKernelNodeParams *p) {
    SIM_BEGIN(cudaErrorInvalidValue);
    return add(node, graph, dependencies, count, sim_kernel_content(p, location));
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                   const cudaGraphNode_t *dependencies, size_t count,
                                   const struct cudaMemcpy3DParms *p) {
    SIM_BEGIN(cudaErrorInvalidValue);
    return add(node, graph, dependencies, count, sim_copy_content(p, location));
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph,
                                     const cudaGraphNode_t *dependencies, size_t count, void *to,
                                     const void *from, size_t bytes, enum cudaMemcpyKind kind) {
    SIM_BEGIN(cudaErrorInvalidValue);
    return add(node, graph, dependencies, count,
               sim_linear_copy_content(to, from, bytes, kind, location));
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                   const cudaGraphNode_t *dependencies, size_t count,
                                   const struct cudaMemsetParams *p) {
    SIM_BEGIN(cudaErrorInvalidValue);
    return add(node, graph, dependencies, count, sim_fill_content(p, location));
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                 const cudaGraphNode_t *dependencies, size_t count,
                                 const struct cudaHostNodeParams *p) {
    SIM_BEGIN(cudaErrorInvalidValue);
    return add(node, graph, dependencies, count, sim_host_content(p, location));
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                       const cudaGraphNode_t *dependencies, size_t count,
                                       cudaGraph_t child) {
    SIM_BEGIN(cudaErrorInvalidValue);
    sim_lock_graphs();
    bool fixed = sim_is_graph(child) && sim_has_memory_nodes(child);
    struct sim_graph *copy = sim_is_graph(child) && !fixed ? sim_copy_graph(child) : NULL;
    sim_unlock_graphs();
    SIM_FAIL_IF(!copy, fixed ? cudaErrorNotSupported : cudaErrorInvalidValue);
    const struct sim_node_content content = {.type = cudaGraphNodeTypeGraph};
    cudaError_t error = add(node, graph, dependencies, count, content);
    sim_lock_graphs();
    if (error == cudaSuccess) {
        copy->is_child = true;
        (*node)->child = copy;
    } else {
        sim_free_graph(copy);
    }
    sim_unlock_graphs();
    return error;
}

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                     const cudaGraphNode_t *dependencies, size_t count,
                                     struct cudaMemAllocNodeParams *p) {
    SIM_BEGIN(cudaErrorMemoryAllocation);
    return add(node, graph, dependencies, count, sim_allocation_content(p, location));
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                    const cudaGraphNode_t *dependencies, size_t count,
                                    void *memory) {
    SIM_BEGIN(cudaErrorInvalidValue);
    return add(node, graph, dependencies, count, sim_release_content(memory, location));
}

static cudaError_t add_event(cudaGraphNode_t *node, cudaGraph_t graph,
                             const cudaGraphNode_t *dependencies, size_t count,
                             enum cudaGraphNodeType type, cudaEvent_t event) {
    const struct sim_node_content content = {.type = type};
    cudaError_t error =
        event ? add(node, graph, dependencies, count, content) : sim_fail(cudaErrorInvalidValue);
    if (error == cudaSuccess) {
        (*node)->event = event;
    }
    return error;
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                        const cudaGraphNode_t *dependencies, size_t count,
                                        cudaEvent_t event) {
    SIM_BEGIN(cudaErrorInvalidValue);
    return add_event(node, graph, dependencies, count, cudaGraphNodeTypeEventRecord, event);
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                      const cudaGraphNode_t *dependencies, size_t count,
                                      cudaEvent_t event) {
    SIM_BEGIN(cudaErrorInvalidValue);
    return add_event(node, graph, dependencies, count, cudaGraphNodeTypeWaitEvent, event);
}

/* ---- the parameters of kernels */

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node,
                                         const struct cudaKernelNodeParams *p) {
    SIM_BEGIN(cudaErrorInvalidValue);
    const struct sim_node_content content = sim_kernel_content(p, location);
    sim_lock_graphs();
    cudaError_t error = sim_set_content(sim_is_node(node) ? node : NULL, content);
    sim_unlock_graphs();
    return error;
}

/* Those of a captured node are not known. */
cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, struct cudaKernelNodeParams *p) {
    SIM_BEGIN(cudaErrorInvalidValue);
    sim_lock_graphs();
    bool known = p && sim_is_node(node) && node->type == cudaGraphNodeTypeKernel;
    bool has = known && node->arguments;
    if (has) {
        *p = node->kernel;
    }
    sim_unlock_graphs();
    return has ? cudaSuccess : sim_fail(known ? cudaErrorNotSupported : cudaErrorInvalidValue);
}
