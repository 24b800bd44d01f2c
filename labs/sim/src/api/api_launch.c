/* Launches with the addresses of the arguments: cudaLaunchKernel() and the like. */
#include "api/api.h"
#include "api/named_kernel.h"
#include "base/findings.h"
#include "memory/allocations.h"

#include <stdlib.h>

static struct sim_named_kernel *kernels;

const struct sim_named_kernel *sim_find_named_kernel(const void *function) {
    struct sim_named_kernel *k = kernels;
    while (k && k->function != function) {
        k = k->next;
    }
    return k;
}

void sim_register_kernel(const struct sim_named_kernel *kernel) {
    sim_lock_device();
    struct sim_named_kernel *k =
        (struct sim_named_kernel *)(uintptr_t)sim_find_named_kernel(kernel->function);
    if (k && !k->name) {
        k->name = kernel->name;
    }
    if (!k && (k = malloc(sizeof *k))) {
        *k = *kernel;
        k->next = kernels;
        kernels = k;
    }
    sim_unlock_device();
}

static const struct sim_named_kernel *look_up(const void *function) {
    sim_lock_device();
    const struct sim_named_kernel *k = sim_find_named_kernel(function);
    sim_unlock_device();
    return k;
}

cudaError_t sim_launch_named(struct sim_config config, void *const *arguments) {
    const struct sim_named_kernel *k = look_up(config.function);
    if (!k) { /* as an H200 says */
        return sim_fail(config.function ? cudaErrorInvalidResourceHandle
                                        : cudaErrorInvalidDeviceFunction);
    }
    for (unsigned i = 0; i < k->count; i++) {
        SIM_FAIL_IF(!arguments || !arguments[i], cudaErrorInvalidValue);
    }
    config.kernel = k->name ? k->name : "(called by its address)";
    cudaError_t before = sim_exchange_last(cudaSuccess);
    k->launch(&config, arguments);
    cudaError_t error = sim_exchange_last(before);
    if (error != cudaSuccess) {
        sim_see_unchecked_launch(); /* the program has the result */
        return sim_fail(error);
    }
    return cudaSuccess;
}

static struct sim_config config_of(const void *kernel, dim3 grid, dim3 block, size_t shared,
                                   cudaStream_t stream, struct sim_location location) {
    return (struct sim_config){.grid = grid,
                               .block = block,
                               .shared = shared,
                               .stream = stream,
                               .function = kernel,
                               .file = location.file,
                               .line = location.line};
}

cudaError_t cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments,
                             size_t shared, cudaStream_t stream) {
    SIM_BEGIN(cudaErrorLaunchOutOfResources);
    return sim_launch_named(config_of(kernel, grid, block, shared, stream, location), arguments);
}

cudaError_t cudaLaunchCooperativeKernel(const void *kernel, dim3 grid, dim3 block, void **arguments,
                                        size_t shared, cudaStream_t stream) {
    SIM_BEGIN(cudaErrorLaunchOutOfResources);
    struct sim_config config = config_of(kernel, grid, block, shared, stream, location);
    config.cooperative = 1;
    return sim_launch_named(config, arguments);
}

/* Applies the attributes of a launch; most of them are hints. */
static cudaError_t apply(const cudaLaunchConfig_t *from, struct sim_config *to) {
    struct sim_finding finding = {.location = {to->file, to->line}};
    for (unsigned i = 0; i < from->numAttrs; i++) {
        const cudaLaunchAttribute *a = &from->attrs[i];
        switch (a->id) {
        case cudaLaunchAttributeCooperative:
            to->cooperative = a->val.cooperative != 0;
            break;
        case cudaLaunchAttributeProgrammaticStreamSerialization:
            to->overlaps = a->val.programmaticStreamSerializationAllowed != 0;
            break;
        case cudaLaunchAttributeProgrammaticEvent:
            finding.found = FOUND_EVENT_ATTRIBUTE;
            sim_report(&finding);
            return cudaErrorNotSupported;
        case cudaLaunchAttributeClusterDimension: {
            bool one =
                a->val.clusterDim.x == 1 && a->val.clusterDim.y == 1 && a->val.clusterDim.z == 1;
            if (!one) {
                finding.found = FOUND_CLUSTER;
                sim_report(&finding);
                return cudaErrorNotSupported;
            }
            break;
        }
        case cudaLaunchAttributeIgnore:
        case cudaLaunchAttributeAccessPolicyWindow:
        case cudaLaunchAttributeSynchronizationPolicy:
        case cudaLaunchAttributeClusterSchedulingPolicyPreference:
        case cudaLaunchAttributePriority:
        case cudaLaunchAttributeMemSyncDomainMap:
        case cudaLaunchAttributeMemSyncDomain:
        case cudaLaunchAttributePreferredClusterDimension:
        case cudaLaunchAttributePreferredSharedMemoryCarveout:
        case cudaLaunchAttributeNvlinkUtilCentricScheduling:
            break;
        default: /* it records an event, or the node is updated by a kernel */
            return cudaErrorNotSupported;
        }
    }
    return cudaSuccess;
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *c, const void *kernel, void **arguments) {
    SIM_BEGIN(cudaErrorLaunchOutOfResources);
    SIM_FAIL_IF(!c || (c->numAttrs > 0 && !c->attrs), cudaErrorInvalidValue);
    struct sim_config config =
        config_of(kernel, c->gridDim, c->blockDim, c->dynamicSmemBytes, c->stream, location);
    cudaError_t error = apply(c, &config);
    return error == cudaSuccess ? sim_launch_named(config, arguments) : sim_fail(error);
}
