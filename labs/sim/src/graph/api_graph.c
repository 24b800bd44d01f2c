/* Graphs as a program builds and reads them. */
#include "api/api.h"
#include "graph/graph.h"

/* Opens a function: holds the lock of this layer until it returns through finish(). */
static cudaError_t finish(cudaError_t error) {
    sim_unlock_graphs();
    return sim_answer(error);
}

#define FINISH_IF(condition, error)                                                                \
    do {                                                                                           \
        if (condition) {                                                                           \
            return finish(error);                                                                  \
        }                                                                                          \
    } while (0)

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned int flags) {
    SIM_BEGIN(cudaErrorMemoryAllocation);
    SIM_FAIL_IF(!graph || flags != 0, cudaErrorInvalidValue);
    sim_lock_graphs();
    *graph = sim_new_graph();
    if (*graph) {
        sim_give_graph(*graph, location);
    }
    return finish(*graph ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    SIM_BEGIN_RELEASE();
    sim_lock_graphs();
    bool known = sim_is_graph(graph) && !graph->is_child;
    if (known) {
        sim_free_graph(graph);
    }
    sim_unlock_graphs();
    return sim_after(earlier, known ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaGraphClone(cudaGraph_t *copy, cudaGraph_t graph) {
    SIM_BEGIN(cudaErrorMemoryAllocation);
    sim_lock_graphs();
    FINISH_IF(!copy || !sim_is_graph(graph), cudaErrorInvalidValue);
    FINISH_IF(sim_has_memory_nodes(graph), cudaErrorNotSupported);
    *copy = sim_copy_graph(graph);
    if (*copy) {
        sim_give_graph(*copy, location);
    }
    return finish(*copy ? cudaSuccess : cudaErrorMemoryAllocation);
}

/* With `nodes`, the first *count of them; *count becomes their number, or that of all without
 * `nodes`. */
static cudaError_t list_nodes(cudaGraph_t graph, bool only_roots, cudaGraphNode_t *nodes,
                              size_t *count) {
    sim_lock_graphs();
    FINISH_IF(!count || !sim_is_graph(graph), cudaErrorInvalidValue);
    size_t found = 0;
    for (struct sim_graph_node *n = graph->nodes; n; n = n->next) {
        if (!only_roots || n->dependency_count == 0) {
            if (nodes && found < *count) {
                nodes[found] = n;
            }
            found++;
        }
    }
    for (size_t i = found; nodes && i < *count; i++) {
        nodes[i] = NULL;
    }
    *count = nodes && found > *count ? *count : found;
    return finish(cudaSuccess);
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count) {
    SIM_BEGIN(cudaErrorInvalidValue);
    return list_nodes(graph, false, nodes, count);
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count) {
    SIM_BEGIN(cudaErrorInvalidValue);
    return list_nodes(graph, true, nodes, count);
}

/* No edge is added twice. */
static bool add(cudaGraph_t graph, cudaGraphNode_t from, cudaGraphNode_t to) {
    bool valid = sim_is_node(from) && sim_is_node(to) && from->graph == graph && to->graph == graph;
    unsigned before = valid ? to->dependency_count : 0;
    return valid && sim_add_dependency(from, to) && to->dependency_count > before;
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                     const cudaGraphNode_t *to, const cudaGraphEdgeData *edges,
                                     size_t count) {
    SIM_BEGIN(cudaErrorInvalidValue);
    sim_lock_graphs();
    FINISH_IF(!sim_is_graph(graph) || (count > 0 && (!from || !to)), cudaErrorInvalidValue);
    for (size_t i = 0; i < count; i++) {
        FINISH_IF(edges && (edges[i].from_port || edges[i].to_port || edges[i].type),
                  cudaErrorNotSupported); /* every edge of the simulator is plain */
        FINISH_IF(!add(graph, from[i], to[i]), cudaErrorInvalidValue);
    }
    return finish(cudaSuccess);
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *type) {
    SIM_BEGIN(cudaErrorInvalidValue);
    sim_lock_graphs();
    FINISH_IF(!type || !sim_is_node(node), cudaErrorInvalidValue);
    *type = node->type;
    return finish(cudaSuccess);
}
