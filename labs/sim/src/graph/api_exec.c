/* Executable graphs: a copy of a graph, in the order in which its nodes run. */
#include "api/api.h"
#include "base/at_end.h"
#include "base/errors.h"
#include "graph/node_parameters.h"
#include "memory/allocations.h"
#include "queue/queue.h"

#include <stdlib.h>

struct sim_graph_exec {
    struct sim_graph *graph; /* a copy: nodes have the program's as their source */
    struct sim_graph_node **order;
    struct sim_item *last; /* of the last launch: the next one runs after it; a reference */
    bool frees_on_launch;  /* what the program has not freed since the last launch */
    struct sim_location location;
    unsigned resets; /* of the device, before it was made: a later one destroys it */
    struct sim_graph_exec *next;
};

static struct sim_graph_exec *execs;

/* Hold the lock of this layer. */
static bool is_exec(const struct sim_graph_exec *exec) {
    const struct sim_graph_exec *e = execs;
    while (e && e != exec) {
        e = e->next;
    }
    return e != NULL;
}

/* A child graph has an order of its own; it is looked for here, as an error of the whole. */
static bool is_circular(const struct sim_graph *graph) {
    struct sim_graph_node **order = sim_order_nodes(graph);
    bool circular = order == NULL;
    free(order);
    for (const struct sim_graph_node *n = graph->nodes; n && !circular; n = n->next) {
        circular = n->child && is_circular(n->child);
    }
    return circular;
}

/* A graph whose nodes allocate or free memory can have one exec at a time. */
static bool is_instantiated(const struct sim_graph *graph) {
    for (const struct sim_graph_node *n = graph->nodes; n; n = n->next) {
        for (const struct sim_graph_exec *e = execs; e && sim_node_memory(n); e = e->next) {
            if (sim_node_in(e->graph, n)) {
                return true;
            }
        }
    }
    return false;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
                                 unsigned long long flags) {
    SIM_BEGIN(cudaErrorInvalidValue);
    SIM_FAIL_IF(flags & cudaGraphInstantiateFlagDeviceLaunch, cudaErrorNotSupported);
    sim_lock_graphs();
    bool valid = exec && flags <= 15 && sim_is_graph(graph) && !is_circular(graph) &&
                 !is_instantiated(graph);
    struct sim_graph_exec *created = valid ? calloc(1, sizeof *created) : NULL;
    struct sim_graph *copy = created ? sim_copy_graph(graph) : NULL;
    struct sim_graph_node **order = copy ? sim_order_nodes(copy) : NULL;
    if (order) {
        *created = (struct sim_graph_exec){.graph = copy,
                                           .order = order,
                                           .location = location,
                                           .resets = sim_device_resets,
                                           .next = execs};
        created->frees_on_launch = flags & cudaGraphInstantiateFlagAutoFreeOnLaunch;
        copy->is_child = true; /* the program has no handle of it */
        execs = created;
        *exec = created;
    } else {
        if (copy) {
            sim_free_graph(copy);
        }
        free(created);
    }
    sim_unlock_graphs();
    return order ? cudaSuccess
                 : sim_fail(valid ? cudaErrorMemoryAllocation : cudaErrorInvalidValue);
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph,
                                          unsigned long long flags) {
    return cudaGraphInstantiate(exec, graph, flags);
}

/* What is queued of it still runs. */
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
    SIM_BEGIN_RELEASE();
    sim_lock_graphs();
    struct sim_graph_exec **at = &execs;
    while (*at && *at != exec) {
        at = &(*at)->next;
    }
    bool known = *at != NULL;
    if (known) {
        *at = exec->next;
        sim_free_graph(exec->graph);
    }
    sim_unlock_graphs();
    SIM_FAIL_IF(!known, cudaErrorInvalidValue);
    sim_release_item(exec->last);
    free(exec->order);
    free(exec);
    return sim_after(earlier, cudaSuccess);
}

static void report_leaks(void) {
    for (const struct sim_graph_exec *e = execs; e; e = e->next) {
        if (e->resets == sim_device_resets) {
            sim_report_leak(FOUND_LEAK_OF_EXEC, e->location);
        }
    }
}
SIM_AT_END(report_leaks);

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream) {
    SIM_BEGIN(cudaErrorInvalidValue);
    sim_lock_graphs();
    bool known = is_exec(exec);
    sim_unlock_graphs();
    return known && sim_is_stream(stream) ? cudaSuccess : sim_fail(cudaErrorInvalidValue);
}

/* ---- launches */

static void run_step(void *closure) {
    struct sim_step *const *step = closure;
    (*step)->operation.run((void *)(uintptr_t)(*step)->operation.closure);
}

static void drop_step(void *closure) {
    struct sim_step *const *step = closure;
    sim_drop_step(*step);
}

/* A launch on its way into the queue. */
struct launch {
    cudaStream_t stream;
    struct sim_item *last; /* the newest operation, with a reference */
};

/* Queues it after all that the launch has queued before, and after the previous launch. */
static cudaError_t enqueue(struct launch *launch, enum sim_operation_kind kind,
                           struct sim_step *step) {
    struct sim_operation operation = step->operation;
    struct sim_item *item;
    operation.kind = kind;
    operation.run = run_step;
    operation.begin = NULL; /* in a graph it follows the nodes that it depends on */
    operation.destroy = drop_step;
    operation.closure = &step;
    operation.closure_bytes = sizeof step;
    sim_hold_step(step);
    cudaError_t error = sim_enqueue_after(launch->stream, &operation, launch->last, &item);
    if (error != cudaSuccess) {
        sim_drop_step(step);
    } else if (item) {
        sim_release_item(launch->last);
        launch->last = item;
    }
    return error;
}

/* The memory lasts from its node to the node that frees it. If a graph has both, it is not freed
 * until the graph is, but every launch keeps it until then. */
static cudaError_t launch_allocation(struct launch *launch, const struct sim_graph_node *node) {
    const void *memory = sim_node_memory(node);
    if (sim_memory_node(node->graph, cudaGraphNodeTypeMemFree, memory)) {
        return cudaSuccess;
    }
    sim_lock_device();
    struct sim_allocation *a = (struct sim_allocation *)(uintptr_t)sim_owner(memory);
    bool whole = a && sim_allocate_again(a); /* else its step does, once it is freed */
    if (whole) {
        a->launched = true;
        a->is_free_queued = false;
    }
    sim_unlock_device();
    return whole ? enqueue(launch, SIM_OP_ALLOCATE, node->steps)
                 : sim_fail(cudaErrorMemoryAllocation);
}

static cudaError_t launch_release(struct launch *launch, const struct sim_graph_node *node) {
    const void *memory = sim_node_memory(node);
    const struct sim_graph_node *here =
        sim_memory_node(node->graph, cudaGraphNodeTypeMemAlloc, memory);
    if (here) {
        return enqueue(launch, SIM_OP_FREE, here->steps); /* its step exists until then */
    }
    sim_lock_device();
    struct sim_allocation *a = (struct sim_allocation *)(uintptr_t)sim_owner(memory);
    if (a) {
        a->is_free_queued = true;
    }
    sim_unlock_device();
    return enqueue(launch, SIM_OP_FREE, node->steps);
}

/* Has the program yet to free what the last launch of this graph has allocated? */
static bool has_memory_left(const struct sim_graph *graph) {
    bool left = false;
    sim_lock_device();
    for (const struct sim_graph_node *n = graph->nodes; n && !left; n = n->next) {
        const struct sim_allocation *a =
            n->type == cudaGraphNodeTypeMemAlloc ? sim_owner(sim_node_memory(n)) : NULL;
        left = a && a->launched && !a->freed && !a->is_free_queued;
    }
    sim_unlock_device();
    return left;
}

static cudaError_t launch_graph(struct launch *launch, struct sim_graph_node *const *order,
                                unsigned count);

static cudaError_t launch_node(struct launch *launch, const struct sim_graph_node *node) {
    cudaError_t error = cudaSuccess;
    switch (node->type) {
    case cudaGraphNodeTypeEventRecord:
        return cudaEventRecord(node->event, launch->stream);
    case cudaGraphNodeTypeWaitEvent:
        return cudaStreamWaitEvent(launch->stream, node->event, cudaEventWaitDefault);
    case cudaGraphNodeTypeGraph: {
        struct sim_graph_node **order = sim_order_nodes(node->child);
        error = order ? launch_graph(launch, order, node->child->node_count)
                      : sim_fail(cudaErrorMemoryAllocation);
        free(order);
        return error;
    }
    case cudaGraphNodeTypeMemAlloc:
        return launch_allocation(launch, node);
    case cudaGraphNodeTypeMemFree:
        return launch_release(launch, node);
    default:
        for (struct sim_step *s = node->steps; s && error == cudaSuccess; s = s->next) {
            error = enqueue(launch, s->operation.kind, s);
        }
        return error;
    }
}

static cudaError_t launch_graph(struct launch *launch, struct sim_graph_node *const *order,
                                unsigned count) {
    cudaError_t error = cudaSuccess;
    for (unsigned i = 0; i < count && error == cudaSuccess; i++) {
        error = launch_node(launch, order[i]);
    }
    return error;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
    SIM_BEGIN(cudaErrorInvalidValue);
    SIM_FAIL_IF(!sim_is_stream(stream), cudaErrorInvalidResourceHandle);
    sim_lock_graphs();
    if (!is_exec(exec) || (!exec->frees_on_launch && has_memory_left(exec->graph))) {
        sim_unlock_graphs();
        return sim_fail(cudaErrorInvalidValue);
    }
    struct launch launch = {.stream = stream, .last = exec->last};
    cudaError_t error = launch_graph(&launch, exec->order, exec->graph->node_count);
    exec->last = launch.last;
    sim_unlock_graphs();
    return error;
}

/* ---- updates: launches that are queued already keep what they were queued with */

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const struct cudaKernelNodeParams *p) {
    SIM_BEGIN(cudaErrorInvalidValue);
    const struct sim_node_content content = sim_kernel_content(p, location);
    sim_lock_graphs();
    struct sim_graph_node *copy =
        is_exec(exec) && sim_is_node(node) ? sim_node_in(exec->graph, node) : NULL;
    cudaError_t error = sim_set_content(copy, content);
    sim_unlock_graphs();
    return error;
}

static unsigned index_of(const struct sim_graph_node *node) {
    unsigned index = 0;
    for (const struct sim_graph_node *n = node->graph->nodes; n != node; n = n->next) {
        index++;
    }
    return index;
}

/* Do the nodes at one position of two graphs depend on the same positions? */
static bool depend_alike(const struct sim_graph_node *a, const struct sim_graph_node *b) {
    bool alike = a->dependency_count == b->dependency_count;
    for (unsigned i = 0; i < a->dependency_count && alike; i++) {
        unsigned index = index_of(a->dependencies[i]);
        alike = false;
        for (unsigned k = 0; k < b->dependency_count && !alike; k++) {
            alike = index_of(b->dependencies[k]) == index;
        }
    }
    return alike;
}

/* Compares two graphs; *at: the node of the second at which they differ, or NULL. */
static enum cudaGraphExecUpdateResult
compare(const struct sim_graph *before, const struct sim_graph *after, struct sim_graph_node **at) {
    struct sim_graph_node *a = before->nodes, *b = after->nodes;
    for (; a && b; a = a->next, b = b->next) {
        *at = b;
        if (a->type != b->type) {
            return cudaGraphExecUpdateErrorNodeTypeChanged;
        }
        if (!depend_alike(a, b)) {
            return cudaGraphExecUpdateErrorTopologyChanged;
        }
        enum cudaGraphExecUpdateResult inside =
            a->child ? compare(a->child, b->child, at) : cudaGraphExecUpdateSuccess;
        if (inside != cudaGraphExecUpdateSuccess) {
            return inside;
        }
    }
    *at = b;
    return a || b ? cudaGraphExecUpdateErrorTopologyChanged : cudaGraphExecUpdateSuccess;
}

static void take_over(struct sim_graph *to, const struct sim_graph *from) {
    struct sim_graph_node *a = to->nodes;
    for (const struct sim_graph_node *b = from->nodes; b; a = a->next, b = b->next) {
        sim_drop_step(a->steps);
        a->steps = b->steps;
        if (a->steps) {
            sim_hold_step(a->steps);
        }
        a->event = b->event;
        if (a->child) {
            take_over(a->child, b->child);
        }
    }
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo *information) {
    SIM_BEGIN(cudaErrorInvalidValue);
    sim_lock_graphs();
    if (!information || !is_exec(exec) || !sim_is_graph(graph)) {
        sim_unlock_graphs();
        return sim_fail(cudaErrorInvalidValue);
    }
    struct sim_graph_node *at = NULL;
    *information = (cudaGraphExecUpdateResultInfo){.result = compare(exec->graph, graph, &at)};
    information->errorNode = at;
    bool same = information->result == cudaGraphExecUpdateSuccess;
    if (same) {
        take_over(exec->graph, graph);
    }
    sim_unlock_graphs();
    return same ? cudaSuccess : sim_fail(cudaErrorGraphExecUpdateFailure);
}
