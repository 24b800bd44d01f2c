#include "graph/graph.h"

#include "base/at_end.h"
#include "base/errors.h"
#include "base/options.h"
#include "memory/allocations.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define CLOSURE_ALIGNMENT 128 /* the queue's */

/* Recursive: a launch into a stream that is captured adds nodes to another graph. */
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static struct sim_graph *graphs;
static unsigned long long ids;

void sim_lock_graphs(void) {
    pthread_mutex_lock(&lock);
}

void sim_unlock_graphs(void) {
    pthread_mutex_unlock(&lock);
}

/* ---- steps */

struct sim_step *sim_new_step(const struct sim_operation *operation) {
    size_t bytes = operation->closure_bytes;
    struct sim_step *step = calloc(1, sizeof *step);
    void *closure =
        bytes ? aligned_alloc(CLOSURE_ALIGNMENT, (bytes + CLOSURE_ALIGNMENT - 1) /
                                                     CLOSURE_ALIGNMENT * CLOSURE_ALIGNMENT)
              : NULL;
    if (!step || (bytes && !closure)) {
        free(step);
        free(closure);
        return NULL;
    }
    if (bytes) {
        memcpy(closure, operation->closure, bytes);
    }
    step->references = 1;
    step->operation = *operation;
    step->operation.closure = closure;
    return step;
}

void sim_hold_step(struct sim_step *step) {
    __atomic_add_fetch(&step->references, 1, __ATOMIC_RELAXED);
}

void sim_drop_step(struct sim_step *step) {
    while (step && __atomic_sub_fetch(&step->references, 1, __ATOMIC_ACQ_REL) == 0) {
        struct sim_step *next = step->next;
        void *closure = (void *)(uintptr_t)step->operation.closure;
        if (step->operation.destroy) {
            step->operation.destroy(closure);
        }
        free(closure);
        free(step);
        step = next;
    }
}

/* ---- nodes */

static void free_node(struct sim_graph_node *node) {
    sim_drop_step(node->steps);
    if (node->child) {
        sim_free_graph(node->child);
    }
    free(node->arguments);
    free(node->dependencies);
    free(node);
}

bool sim_add_dependency(struct sim_graph_node *from, struct sim_graph_node *to) {
    for (unsigned i = 0; i < to->dependency_count; i++) {
        if (to->dependencies[i] == from) {
            return true;
        }
    }
    void *more = realloc(to->dependencies, (to->dependency_count + 1) * sizeof(void *));
    if (!more) {
        return false;
    }
    to->dependencies = more;
    to->dependencies[to->dependency_count++] = from;
    return true;
}

bool sim_depends_on(const struct sim_graph_node *node, const struct sim_graph_node *other) {
    for (unsigned i = 0; i < node->dependency_count; i++) {
        if (node->dependencies[i] == other || sim_depends_on(node->dependencies[i], other)) {
            return true;
        }
    }
    return false;
}

struct sim_graph_node *sim_add_node(struct sim_graph *graph, enum cudaGraphNodeType type,
                                    struct sim_graph_node *const *dependencies, size_t count) {
    struct sim_graph_node *node = calloc(1, sizeof *node);
    if (!node) {
        return NULL;
    }
    node->type = type;
    node->id = ++ids;
    node->graph = graph;
    for (size_t i = 0; i < count; i++) {
        bool here = sim_is_node(dependencies[i]) && dependencies[i]->graph == graph;
        if (!here || !sim_add_dependency(dependencies[i], node)) {
            free_node(node);
            return NULL;
        }
    }
    struct sim_graph_node **at = &graph->nodes;
    while (*at) {
        at = &(*at)->next;
    }
    *at = node;
    graph->node_count++;
    return node;
}

bool sim_is_node(const struct sim_graph_node *node) {
    for (const struct sim_graph *g = graphs; g; g = g->next) {
        for (const struct sim_graph_node *n = g->nodes; n; n = n->next) {
            if (n == node) {
                return true;
            }
        }
    }
    return false;
}

/* ---- graphs */

struct sim_graph *sim_new_graph(void) {
    struct sim_graph *graph = calloc(1, sizeof *graph);
    if (graph) {
        graph->next = graphs;
        graphs = graph;
    }
    return graph;
}

bool sim_is_graph(const struct sim_graph *graph) {
    const struct sim_graph *g = graphs;
    while (g && g != graph) {
        g = g->next;
    }
    return g != NULL;
}

void sim_free_graph(struct sim_graph *graph) {
    struct sim_graph **at = &graphs;
    while (*at != graph) {
        at = &(*at)->next;
    }
    *at = graph->next;
    for (struct sim_graph_node *n = graph->nodes, *next; n; n = next) {
        next = n->next;
        free_node(n);
    }
    free(graph);
}

void sim_give_graph(struct sim_graph *graph, struct sim_location location) {
    graph->is_given = true;
    graph->location = location;
}

static void report_leaks(void) {
    for (const struct sim_graph *graph = graphs; graph; graph = graph->next) {
        if (graph->is_given) {
            sim_report_leak(FOUND_LEAK_OF_GRAPH, graph->location);
        }
    }
}
SIM_AT_END(report_leaks);

struct sim_graph_node *sim_node_in(const struct sim_graph *graph,
                                   const struct sim_graph_node *node) {
    struct sim_graph_node *n = graph->nodes;
    while (n && n->source != node->id) {
        n = n->next;
    }
    return n;
}

const void *sim_node_memory(const struct sim_graph_node *node) {
    bool has = node->type == cudaGraphNodeTypeMemAlloc || node->type == cudaGraphNodeTypeMemFree;
    return has && node->steps ? node->steps->operation.ranges[0].from : NULL;
}

struct sim_graph_node *sim_memory_node(const struct sim_graph *graph, enum cudaGraphNodeType type,
                                       const void *memory) {
    struct sim_graph_node *n = graph->nodes;
    while (n && (n->type != type || sim_node_memory(n) != memory)) {
        n = n->next;
    }
    return n;
}

bool sim_may_free(const struct sim_graph *graph, const void *memory, struct sim_location location) {
    if (sim_memory_node(graph, cudaGraphNodeTypeMemFree, memory)) {
        sim_report(&(struct sim_finding){.found = FOUND_FREE_IN_GRAPH_AGAIN, .location = location});
        return false;
    }
    sim_lock_device();
    struct sim_allocation *a = (struct sim_allocation *)(uintptr_t)sim_owner(memory);
    if (a && sim_memory_node(graph, cudaGraphNodeTypeMemAlloc, memory)) {
        a->is_free_queued = true;
    }
    sim_unlock_device();
    return true;
}

bool sim_has_memory_nodes(const struct sim_graph *graph) {
    const struct sim_graph_node *n = graph->nodes;
    while (n && !sim_node_memory(n)) {
        n = n->next;
    }
    return n != NULL;
}

struct sim_graph *sim_copy_graph(const struct sim_graph *graph) {
    struct sim_graph *copy = sim_new_graph();
    for (const struct sim_graph_node *n = graph->nodes; copy && n; n = n->next) {
        struct sim_graph_node *twin = sim_add_node(copy, n->type, NULL, 0);
        bool whole = twin != NULL;
        if (whole) {
            twin->source = n->id;
            twin->steps = n->steps;
            if (twin->steps) {
                sim_hold_step(twin->steps);
            }
            twin->event = n->event;
            twin->child = n->child ? sim_copy_graph(n->child) : NULL;
            whole = !n->child || twin->child;
            if (twin->child) {
                twin->child->is_child = true;
            }
        }
        if (!whole) {
            sim_free_graph(copy);
            return NULL;
        }
    }
    for (const struct sim_graph_node *n = graph->nodes; copy && n; n = n->next) {
        for (unsigned i = 0; i < n->dependency_count; i++) {
            if (!sim_add_dependency(sim_node_in(copy, n->dependencies[i]), sim_node_in(copy, n))) {
                sim_free_graph(copy);
                return NULL;
            }
        }
    }
    return copy;
}

/* ---- the order */

static bool is_ready(const struct sim_graph_node *node) {
    for (unsigned i = 0; i < node->dependency_count; i++) {
        if (!node->dependencies[i]->is_placed) {
            return false;
        }
    }
    return !node->is_placed;
}

struct sim_graph_node **sim_order_nodes(const struct sim_graph *graph) {
    static uint64_t state;
    struct sim_graph_node **order = calloc(graph->node_count + 1, sizeof *order);
    for (struct sim_graph_node *n = graph->nodes; n; n = n->next) {
        n->is_placed = false;
    }
    for (unsigned count = 0; order && count < graph->node_count; count++) {
        unsigned ready = 0;
        for (struct sim_graph_node *n = graph->nodes; n; n = n->next) {
            if (is_ready(n)) {
                state = state * 6364136223846793005u + sim_options.seed + 1442695040888963407u;
                ready++;
                if (sim_options.seed == 0 || (state >> 33) % ready == 0) {
                    order[count] = n;
                }
            }
        }
        if (ready == 0) {
            free(order);
            return NULL;
        }
        order[count]->is_placed = true;
    }
    return order;
}
