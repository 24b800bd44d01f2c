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
    return finish(*graph ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    SIM_BEGIN(cudaErrorInvalidValue);
    sim_lock_graphs();
    bool known = sim_is_graph(graph) && !graph->is_child;
    if (known) {
        sim_free_graph(graph);
    }
    return finish(known ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaGraphClone(cudaGraph_t *copy, cudaGraph_t graph) {
    SIM_BEGIN(cudaErrorMemoryAllocation);
    sim_lock_graphs();
    FINISH_IF(!copy || !sim_is_graph(graph), cudaErrorInvalidValue);
    FINISH_IF(sim_has_memory_nodes(graph), cudaErrorNotSupported);
    *copy = sim_copy_graph(graph);
    return finish(*copy ? cudaSuccess : cudaErrorMemoryAllocation);
}

/* Answers a call that lists things: with `list`, its first *room elements; *room becomes their
 * number, or that of all without a list. */
static void list_node(cudaGraphNode_t node, cudaGraphNode_t *list, size_t room, size_t *found) {
    if (list && *found < room) {
        list[*found] = node;
    }
    ++*found;
}

static void end_list(cudaGraphNode_t *list, size_t found, size_t *room) {
    for (size_t i = found; list && i < *room; i++) {
        list[i] = NULL;
    }
    *room = list && found > *room ? *room : found;
}

static cudaError_t list_nodes(cudaGraph_t graph, bool only_roots, cudaGraphNode_t *nodes,
                              size_t *count) {
    sim_lock_graphs();
    FINISH_IF(!count || !sim_is_graph(graph), cudaErrorInvalidValue);
    size_t found = 0;
    for (struct sim_graph_node *n = graph->nodes; n; n = n->next) {
        if (!only_roots || n->dependency_count == 0) {
            list_node(n, nodes, *count, &found);
        }
    }
    end_list(nodes, found, count);
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

/* Every edge of the simulator is plain. */
static void describe_edges(cudaGraphEdgeData *edges, size_t count) {
    for (size_t i = 0; edges && i < count; i++) {
        edges[i] = (cudaGraphEdgeData){0};
    }
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                              cudaGraphEdgeData *edges, size_t *count) {
    SIM_BEGIN(cudaErrorInvalidValue);
    sim_lock_graphs();
    FINISH_IF(!count || (from != NULL) != (to != NULL) || !sim_is_graph(graph),
              cudaErrorInvalidValue);
    size_t room = *count, found = 0, first = 0;
    for (struct sim_graph_node *n = graph->nodes; n; n = n->next) {
        for (unsigned i = 0; i < n->dependency_count; i++) {
            list_node(n->dependencies[i], from, room, &first);
            list_node(n, to, room, &found);
        }
    }
    end_list(from, first, &room);
    end_list(to, found, count);
    describe_edges(edges, from ? *count : 0);
    return finish(cudaSuccess);
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                         cudaGraphEdgeData *edges, size_t *count) {
    SIM_BEGIN(cudaErrorInvalidValue);
    sim_lock_graphs();
    FINISH_IF(!count || !sim_is_node(node), cudaErrorInvalidValue);
    size_t found = 0;
    for (unsigned i = 0; i < node->dependency_count; i++) {
        list_node(node->dependencies[i], nodes, *count, &found);
    }
    end_list(nodes, found, count);
    describe_edges(edges, nodes ? *count : 0);
    return finish(cudaSuccess);
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                           cudaGraphEdgeData *edges, size_t *count) {
    SIM_BEGIN(cudaErrorInvalidValue);
    sim_lock_graphs();
    FINISH_IF(!count || !sim_is_node(node), cudaErrorInvalidValue);
    size_t found = 0;
    for (struct sim_graph_node *n = node->graph->nodes; n; n = n->next) {
        for (unsigned i = 0; i < n->dependency_count; i++) {
            if (n->dependencies[i] == node) {
                list_node(n, nodes, *count, &found);
            }
        }
    }
    end_list(nodes, found, count);
    describe_edges(edges, nodes ? *count : 0);
    return finish(cudaSuccess);
}

static bool are_plain(const cudaGraphEdgeData *edges, size_t count) {
    for (size_t i = 0; edges && i < count; i++) {
        if (edges[i].from_port || edges[i].to_port || edges[i].type) {
            return false;
        }
    }
    return true;
}

static cudaError_t change_edges(cudaGraph_t graph, const cudaGraphNode_t *from,
                                const cudaGraphNode_t *to, const cudaGraphEdgeData *edges,
                                size_t count, bool (*change)(cudaGraphNode_t, cudaGraphNode_t)) {
    sim_lock_graphs();
    FINISH_IF(!sim_is_graph(graph) || (count > 0 && (!from || !to)), cudaErrorInvalidValue);
    FINISH_IF(!are_plain(edges, count), cudaErrorNotSupported);
    for (size_t i = 0; i < count; i++) {
        FINISH_IF(!sim_is_node(from[i]) || !sim_is_node(to[i]) || from[i]->graph != graph ||
                      to[i]->graph != graph || !change(from[i], to[i]),
                  cudaErrorInvalidValue);
    }
    return finish(cudaSuccess);
}

static bool add(cudaGraphNode_t from, cudaGraphNode_t to) {
    unsigned before = to->dependency_count;
    return sim_add_dependency(from, to) && to->dependency_count > before; /* not twice */
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                     const cudaGraphNode_t *to, const cudaGraphEdgeData *edges,
                                     size_t count) {
    SIM_BEGIN(cudaErrorInvalidValue);
    return change_edges(graph, from, to, edges, count, add);
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                        const cudaGraphNode_t *to, const cudaGraphEdgeData *edges,
                                        size_t count) {
    SIM_BEGIN(cudaErrorInvalidValue);
    sim_lock_graphs();
    bool fixed = sim_is_graph(graph) && sim_has_memory_nodes(graph);
    sim_unlock_graphs();
    return fixed ? sim_fail(cudaErrorNotSupported)
                 : change_edges(graph, from, to, edges, count, sim_remove_dependency);
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node) {
    SIM_BEGIN(cudaErrorInvalidValue);
    sim_lock_graphs();
    FINISH_IF(!sim_is_node(node), cudaErrorInvalidValue);
    FINISH_IF(sim_has_memory_nodes(node->graph), cudaErrorNotSupported);
    sim_remove_node(node);
    return finish(cudaSuccess);
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *type) {
    SIM_BEGIN(cudaErrorInvalidValue);
    sim_lock_graphs();
    FINISH_IF(!type || !sim_is_node(node), cudaErrorInvalidValue);
    *type = node->type;
    return finish(cudaSuccess);
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *found, cudaGraphNode_t original,
                                     cudaGraph_t copy) {
    SIM_BEGIN(cudaErrorInvalidValue);
    sim_lock_graphs();
    FINISH_IF(!found || !sim_is_graph(copy) || !sim_is_node(original), cudaErrorInvalidValue);
    *found = sim_node_in(copy, original);
    return finish(*found ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *graph) {
    SIM_BEGIN(cudaErrorInvalidValue);
    sim_lock_graphs();
    FINISH_IF(!graph || !sim_is_node(node) || !node->child, cudaErrorInvalidValue);
    *graph = node->child;
    return finish(cudaSuccess);
}
