/* graph/: graphs of operations, which a program builds or captures from streams, and launches. It
 * is above api/: it records the operations that the functions of api/ would queue.
 *
 * This header: nodes, what they run, and graphs. The lock of this layer guards all of it. */
#pragma once

#include "queue/operation.h"

/* One operation of a node, which does not change: a launch that is still queued keeps it alive. */
struct sim_step {
    unsigned references;
    struct sim_operation operation; /* its closure is a copy, aligned as the queue aligns it */
    struct sim_step *next;          /* the next one of the node, or NULL; holds a reference */
};

/* Copies the operation; NULL: out of memory. */
struct sim_step *sim_new_step(const struct sim_operation *operation);
void sim_hold_step(struct sim_step *step);
void sim_drop_step(struct sim_step *step); /* NULL does nothing */

struct sim_graph_node {
    enum cudaGraphNodeType type;
    unsigned long long id, source; /* unique; that of the node of which this is a copy, or 0 */
    struct sim_graph *graph;
    struct sim_step *steps;             /* in order; NULL: none */
    struct sim_graph *child;            /* of cudaGraphNodeTypeGraph; owned */
    cudaEvent_t event;                  /* of the nodes that record or wait for one */
    struct cudaKernelNodeParams kernel; /* as a program gave them, with `arguments` */
    void **arguments; /* of a kernel: copies; owned, in one block; NULL: not known */
    bool is_placed;   /* in the order that is being made */
    struct sim_graph_node **dependencies;
    unsigned dependency_count;
    struct sim_graph_node *next; /* of its graph, in the order of their creation */
};

struct sim_graph {
    struct sim_graph_node *nodes;
    unsigned node_count;
    bool is_child;                /* a node owns it */
    bool is_given;                /* the program has it, and must destroy it */
    struct sim_location location; /* of the call that gave it */
    struct sim_graph *next;
};

void sim_lock_graphs(void);
void sim_unlock_graphs(void);

struct sim_graph *sim_new_graph(void);
bool sim_is_graph(const struct sim_graph *graph);
void sim_free_graph(struct sim_graph *graph);

/* The program gets the graph, from a call at `location`. */
void sim_give_graph(struct sim_graph *graph, struct sim_location location);

/* A copy with copies of the nodes; NULL: out of memory. */
struct sim_graph *sim_copy_graph(const struct sim_graph *graph);

/* A node without steps, at the end of the list; NULL: out of memory or a dependency of another
 * graph. */
struct sim_graph_node *sim_add_node(struct sim_graph *graph, enum cudaGraphNodeType type,
                                    struct sim_graph_node *const *dependencies, size_t count);
bool sim_is_node(const struct sim_graph_node *node);

/* `from` must run before `to`. False: out of memory. Known already: nothing. */
bool sim_add_dependency(struct sim_graph_node *from, struct sim_graph_node *to);
bool sim_depends_on(const struct sim_graph_node *node, const struct sim_graph_node *other);

/* The copy of `node` in `graph`, or NULL. */
struct sim_graph_node *sim_node_in(const struct sim_graph *graph,
                                   const struct sim_graph_node *node);

/* What a node allocates or frees; NULL for other nodes. */
const void *sim_node_memory(const struct sim_graph_node *node);

/* The node that allocates this memory, or the one that frees it; NULL: none. */
struct sim_graph_node *sim_memory_node(const struct sim_graph *graph, enum cudaGraphNodeType type,
                                       const void *memory);

/* A node that frees this memory is about to be added: false, after a report, if there is one. If
 * the graph allocates the memory as well, nothing else may free it. */
bool sim_may_free(const struct sim_graph *graph, const void *memory, struct sim_location location);

/* Such a graph cannot be copied by the program. */
bool sim_has_memory_nodes(const struct sim_graph *graph);

/* All nodes of a graph in an order that keeps the dependencies and, of those, hurts: the newest
 * node first, or a random one with CONVLABS_SIM_SEED. An array of node_count; the caller frees it.
 * NULL: the dependencies are circular, or out of memory. */
struct sim_graph_node **sim_order_nodes(const struct sim_graph *graph);
