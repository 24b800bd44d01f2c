#include "graph/node_parameters.h"

#include "api/named_kernel.h"
#include "base/errors.h"
#include "graph/recorder.h"
#include "memory/allocations.h"
#include "queue/copy.h"

#include <stdlib.h>
#include <string.h>

/* Ends the recording: the steps belong to the content, if the call has succeeded. */
static cudaError_t finish(struct sim_recorder *recorder, cudaError_t error,
                          struct sim_node_content *content) {
    content->steps = sim_end_recorder(recorder);
    if (error != cudaSuccess) {
        sim_drop_step(content->steps);
        content->steps = NULL;
    }
    return error;
}

/* Copies the values of a kernel's arguments; NULL: out of memory. */
static void **copy_arguments(const struct sim_named_kernel *kernel, void **arguments) {
    size_t pointers = (kernel->count + 1) * sizeof(void *), bytes = 0;
    for (unsigned i = 0; i < kernel->count; i++) {
        bytes = kernel->offsets[i] + kernel->sizes[i];
    }
    size_t head = (pointers + 127) / 128 * 128; /* values keep their alignment */
    void **copy = aligned_alloc(128, (head + bytes + 127) / 128 * 128);
    for (unsigned i = 0; copy && i < kernel->count; i++) {
        copy[i] = (char *)copy + head + kernel->offsets[i];
        memcpy(copy[i], arguments[i], kernel->sizes[i]);
    }
    return copy;
}

cudaError_t sim_kernel_content(const struct cudaKernelNodeParams *p, struct sim_location location,
                               struct sim_node_content *content) {
    *content = (struct sim_node_content){.type = cudaGraphNodeTypeKernel};
    if (!p || !p->func) {
        return sim_fail(cudaErrorInvalidValue);
    }
    sim_lock_device();
    const struct sim_named_kernel *kernel = sim_find_named_kernel(p->func);
    sim_unlock_device();
    if (!kernel) {
        return sim_fail(cudaErrorInvalidDeviceFunction);
    }
    if (p->extra) {
        return sim_fail(cudaErrorNotSupported);
    }
    struct sim_recorder recorder;
    if (!sim_begin_recorder(&recorder)) {
        return sim_fail(cudaErrorMemoryAllocation);
    }
    const struct sim_config config = {.grid = p->gridDim,
                                      .block = p->blockDim,
                                      .shared = p->sharedMemBytes,
                                      .stream = recorder.stream,
                                      .function = p->func,
                                      .file = location.file,
                                      .line = location.line};
    cudaError_t error =
        finish(&recorder, sim_launch_named(config, p->kernelParams), content);
    if (error != cudaSuccess) {
        return error;
    }
    content->parameters.kernel = *p;
    content->arguments = copy_arguments(kernel, p->kernelParams);
    content->parameters.kernel.kernelParams = content->arguments;
    return cudaSuccess;
}

struct cudaMemcpy3DParms sim_linear_copy(void *to, const void *from, size_t bytes,
                                         enum cudaMemcpyKind kind) {
    return (struct cudaMemcpy3DParms){
        .srcPtr = {(void *)(uintptr_t)from, bytes, bytes, 1},
        .dstPtr = {to, bytes, bytes, 1},
        .extent = {bytes, 1, 1},
        .kind = kind,
    };
}

cudaError_t sim_copy_content(const struct cudaMemcpy3DParms *p, struct sim_location location,
                             struct sim_node_content *content) {
    *content = (struct sim_node_content){.type = cudaGraphNodeTypeMemcpy};
    struct sim_recorder recorder;
    if (!p || !sim_begin_recorder(&recorder)) {
        return sim_fail(p ? cudaErrorMemoryAllocation : cudaErrorInvalidValue);
    }
    sim_site(location.file, location.line);
    cudaError_t error = finish(&recorder, cudaMemcpy3DAsync(p, recorder.stream), content);
    content->parameters.copy = *p;
    return error;
}

cudaError_t sim_fill_content(const struct cudaMemsetParams *p, struct sim_location location,
                             struct sim_node_content *content) {
    *content = (struct sim_node_content){.type = cudaGraphNodeTypeMemset};
    bool sized = p && (p->elementSize == 1 || p->elementSize == 2 || p->elementSize == 4);
    size_t width = sized ? p->width * p->elementSize : 0;
    if (!sized || !p->dst || (p->height > 1 && p->pitch < width)) {
        return sim_fail(cudaErrorInvalidValue);
    }
    struct sim_recorder recorder;
    if (!sim_begin_recorder(&recorder)) {
        return sim_fail(cudaErrorMemoryAllocation);
    }
    const struct sim_fill fill = {.to = p->dst,
                                  .pitch = p->height > 1 ? p->pitch : width,
                                  .width = width,
                                  .height = p->height,
                                  .value = p->value,
                                  .value_bytes = p->elementSize,
                                  .name = "cudaGraphAddMemsetNode",
                                  .location = location,
                                  .stream = recorder.stream,
                                  .async = true};
    cudaError_t error = finish(&recorder, sim_fill(&fill), content);
    content->parameters.fill = *p;
    return error;
}

cudaError_t sim_host_content(const struct cudaHostNodeParams *p, struct sim_location location,
                             struct sim_node_content *content) {
    *content = (struct sim_node_content){.type = cudaGraphNodeTypeHost};
    struct sim_recorder recorder;
    if (!p || !p->fn || !sim_begin_recorder(&recorder)) {
        return sim_fail(p && p->fn ? cudaErrorMemoryAllocation : cudaErrorInvalidValue);
    }
    sim_site(location.file, location.line);
    cudaError_t error =
        finish(&recorder, cudaLaunchHostFunc(recorder.stream, p->fn, p->userData), content);
    content->parameters.host = *p;
    return error;
}

void sim_set_content(struct sim_graph_node *node, const struct sim_node_content *content) {
    sim_drop_step(node->steps);
    free(node->arguments);
    node->steps = content->steps;
    node->arguments = content->arguments;
    memcpy(&node->parameters, &content->parameters, sizeof node->parameters);
    node->has_parameters = true;
}

void sim_drop_content(const struct sim_node_content *content) {
    sim_drop_step(content->steps);
    free(content->arguments);
}
