/* The parameters of nodes, as steps: what the node runs. */
#ifndef SIM_NODE_PARAMETERS_H
#define SIM_NODE_PARAMETERS_H

#include "graph/graph.h"

/* What a program passes to make a node, or to change one. `arguments`: a copy of the values of a
 * kernel's arguments, in one block. */
struct sim_node_content {
    enum cudaGraphNodeType type;
    struct sim_step *steps;
    union {
        struct cudaKernelNodeParams kernel;
        struct cudaMemcpy3DParms copy;
        struct cudaMemsetParams fill;
        struct cudaHostNodeParams host;
    } parameters;
    void **arguments;
};

/* Each checks the parameters, as the call that would run them at once does, and fills in *content,
 * which sim_set_content() or sim_drop_content() takes. */
cudaError_t sim_kernel_content(const struct cudaKernelNodeParams *parameters,
                               struct sim_location location, struct sim_node_content *content);
cudaError_t sim_copy_content(const struct cudaMemcpy3DParms *parameters,
                             struct sim_location location, struct sim_node_content *content);
cudaError_t sim_fill_content(const struct cudaMemsetParams *parameters,
                             struct sim_location location, struct sim_node_content *content);
cudaError_t sim_host_content(const struct cudaHostNodeParams *parameters,
                             struct sim_location location, struct sim_node_content *content);

/* A copy of `bytes` bytes, as the parameters of a copy in three dimensions. */
struct cudaMemcpy3DParms sim_linear_copy(void *to, const void *from, size_t bytes,
                                         enum cudaMemcpyKind kind);

/* Gives the content to a node of its type; hold the lock of this layer. */
void sim_set_content(struct sim_graph_node *node, const struct sim_node_content *content);
void sim_drop_content(const struct sim_node_content *content);

#endif
