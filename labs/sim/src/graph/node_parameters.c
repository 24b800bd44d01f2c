#include "graph/node_parameters.h"

#include "api/named_kernel.h"
#include "base/errors.h"
#include "graph/recorder.h"
#include "memory/allocations.h"
#include "queue/copy.h"

#include <stdlib.h>
#include <string.h>

static struct sim_node_content failed(cudaError_t error) {
    return (struct sim_node_content){.error = sim_fail(error)};
}

/* Ends the recording: the steps belong to the content, if the call has succeeded. */
static struct sim_node_content finish(struct sim_recorder *recorder, enum cudaGraphNodeType type,
                                      cudaError_t error) {
    struct sim_node_content content = {
        .error = error, .type = type, .steps = sim_end_recorder(recorder)};
    if (error != cudaSuccess) {
        sim_drop_step(content.steps);
        content.steps = NULL;
    }
    return content;
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

struct sim_node_content sim_kernel_content(const struct cudaKernelNodeParams *p,
                                           struct sim_location location) {
    if (!p || !p->func) {
        return failed(cudaErrorInvalidValue);
    }
    sim_lock_device();
    const struct sim_named_kernel *kernel = sim_find_named_kernel(p->func);
    sim_unlock_device();
    if (!kernel) {
        return failed(cudaErrorInvalidDeviceFunction);
    }
    if (p->extra) {
        return failed(cudaErrorNotSupported);
    }
    struct sim_recorder recorder;
    if (!sim_begin_recorder(&recorder)) {
        return failed(cudaErrorMemoryAllocation);
    }
    const struct sim_config config = {.grid = p->gridDim,
                                      .block = p->blockDim,
                                      .shared = p->sharedMemBytes,
                                      .stream = recorder.stream,
                                      .function = p->func,
                                      .file = location.file,
                                      .line = location.line};
    cudaError_t error = sim_launch_named(config, p->kernelParams);
    struct sim_node_content content = finish(&recorder, cudaGraphNodeTypeKernel, error);
    if (error == cudaSuccess) {
        content.arguments = copy_arguments(kernel, p->kernelParams);
        content.kernel = *p;
        content.kernel.kernelParams = content.arguments;
    }
    return content;
}

struct sim_node_content sim_copy_content(const struct cudaMemcpy3DParms *p,
                                         struct sim_location location) {
    struct sim_recorder recorder;
    if (!p || !sim_begin_recorder(&recorder)) {
        return failed(p ? cudaErrorMemoryAllocation : cudaErrorInvalidValue);
    }
    sim_site(location.file, location.line);
    cudaError_t error = cudaMemcpy3DAsync(p, recorder.stream);
    return finish(&recorder, cudaGraphNodeTypeMemcpy, error);
}

struct sim_node_content sim_linear_copy_content(void *to, const void *from, size_t bytes,
                                                enum cudaMemcpyKind kind,
                                                struct sim_location location) {
    const struct cudaMemcpy3DParms p = {.srcPtr = {(void *)(uintptr_t)from, bytes, bytes, 1},
                                        .dstPtr = {to, bytes, bytes, 1},
                                        .extent = {bytes, 1, 1},
                                        .kind = kind};
    return sim_copy_content(&p, location);
}

struct sim_node_content sim_fill_content(const struct cudaMemsetParams *p,
                                         struct sim_location location) {
    bool sized = p && (p->elementSize == 1 || p->elementSize == 2 || p->elementSize == 4);
    size_t width = sized ? p->width * p->elementSize : 0;
    if (!sized || !p->dst || (p->height > 1 && p->pitch < width)) {
        return failed(cudaErrorInvalidValue);
    }
    struct sim_recorder recorder;
    if (!sim_begin_recorder(&recorder)) {
        return failed(cudaErrorMemoryAllocation);
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
    return finish(&recorder, cudaGraphNodeTypeMemset, sim_fill(&fill));
}

struct sim_node_content sim_host_content(const struct cudaHostNodeParams *p,
                                         struct sim_location location) {
    struct sim_recorder recorder;
    if (!p || !p->fn || !sim_begin_recorder(&recorder)) {
        return failed(p && p->fn ? cudaErrorMemoryAllocation : cudaErrorInvalidValue);
    }
    sim_site(location.file, location.line);
    cudaError_t error = cudaLaunchHostFunc(recorder.stream, p->fn, p->userData);
    return finish(&recorder, cudaGraphNodeTypeHost, error);
}

/* Its step, if it has one, has the name of the function that the program called. */
static struct sim_node_content named(struct sim_node_content content, const char *name) {
    if (content.steps) {
        content.steps->operation.name = name;
    }
    return content;
}

/* The only device has access to all of its memory. */
static bool are_accessible(const struct cudaMemAccessDesc *list, size_t count) {
    bool valid = list || count == 0;
    for (size_t i = 0; i < count && valid; i++) {
        valid = list[i].location.type == cudaMemLocationTypeDevice && list[i].location.id == 0;
    }
    return valid;
}

struct sim_node_content sim_allocation_content(struct cudaMemAllocNodeParams *p,
                                               struct sim_location location) {
    if (!p || p->bytesize == 0 || p->poolProps.allocType != cudaMemAllocationTypePinned ||
        p->poolProps.handleTypes != cudaMemHandleTypeNone ||
        p->poolProps.location.type != cudaMemLocationTypeDevice || p->poolProps.location.id != 0 ||
        !are_accessible(p->accessDescs, p->accessDescCount)) {
        return failed(cudaErrorInvalidValue);
    }
    struct sim_recorder recorder;
    if (!sim_begin_recorder(&recorder)) {
        return failed(cudaErrorMemoryAllocation);
    }
    sim_site(location.file, location.line);
    cudaError_t error = cudaMallocAsync(&p->dptr, p->bytesize, recorder.stream);
    return named(finish(&recorder, cudaGraphNodeTypeMemAlloc, error), "cudaGraphAddMemAllocNode");
}

struct sim_node_content sim_release_content(void *memory, struct sim_location location) {
    sim_lock_device();
    const struct sim_allocation *a = sim_owner(memory);
    bool of_graph = a && a->of_graph;
    sim_unlock_device();
    struct sim_recorder recorder;
    if (!of_graph || !sim_begin_recorder(&recorder)) {
        return failed(of_graph ? cudaErrorMemoryAllocation : cudaErrorInvalidValue);
    }
    sim_site(location.file, location.line);
    cudaError_t error = cudaFreeAsync(memory, recorder.stream);
    return named(finish(&recorder, cudaGraphNodeTypeMemFree, error), "cudaGraphAddMemFreeNode");
}

cudaError_t sim_set_content(struct sim_graph_node *node, struct sim_node_content content) {
    if (content.error != cudaSuccess) {
        return content.error;
    }
    if (!node || node->type != content.type) {
        sim_drop_step(content.steps);
        free(content.arguments);
        return sim_fail(cudaErrorInvalidValue);
    }
    sim_drop_step(node->steps);
    free(node->arguments);
    node->steps = content.steps;
    node->arguments = content.arguments;
    node->kernel = content.kernel;
    return cudaSuccess;
}
