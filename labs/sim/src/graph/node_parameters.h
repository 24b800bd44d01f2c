/* The parameters of nodes, as steps: what the node runs. */
#pragma once

#include "graph/graph.h"

/* What a program passes to make a node, or to change one. `arguments`: a copy of the values of a
 * kernel's arguments, in one block. If `error` is one, there is nothing else. */
struct sim_node_content {
    cudaError_t error;
    enum cudaGraphNodeType type;
    struct sim_step *steps;
    struct cudaKernelNodeParams kernel;
    void **arguments;
};

/* Each checks the parameters, as the call that would run them at once does. sim_set_content() takes
 * what it returns. */
struct sim_node_content sim_kernel_content(const struct cudaKernelNodeParams *parameters,
                                           struct sim_location location);
struct sim_node_content sim_copy_content(const struct cudaMemcpy3DParms *parameters,
                                         struct sim_location location);
struct sim_node_content sim_linear_copy_content(void *to, const void *from, size_t bytes,
                                                enum cudaMemcpyKind kind,
                                                struct sim_location location);
struct sim_node_content sim_fill_content(const struct cudaMemsetParams *parameters,
                                         struct sim_location location);
struct sim_node_content sim_host_content(const struct cudaHostNodeParams *parameters,
                                         struct sim_location location);
struct sim_node_content sim_allocation_content(struct cudaMemAllocNodeParams *parameters,
                                               struct sim_location location);
struct sim_node_content sim_release_content(void *memory, struct sim_location location);

/* Gives the content to a node. Returns the content's error, or cudaErrorInvalidValue if the node is
 * of another type or NULL, that is, unknown. Hold the lock of this layer. */
cudaError_t sim_set_content(struct sim_graph_node *node, struct sim_node_content content);
