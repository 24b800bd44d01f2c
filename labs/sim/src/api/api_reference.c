/* Texture and surface references, which CUDA 12 removed: an object stands behind each while it is
 * bound. */
#include "api/api.h"
#include "api/texture_create.h"
#include "queue/queue.h"

/* The bytes of device memory from `pointer` on; 0 if it is none. */
static size_t room_at(const void *pointer) {
    const char *end = sim_device_end(pointer);
    return end ? (size_t)(end - (const char *)pointer) : 0;
}

static void unbind(unsigned long long *object, struct sim_location location) {
    struct sim_texture *bound = sim_texture_of(*object);
    if (bound && !bound->destroyed) {
        sim_texture_destroy(bound, location);
    }
    *object = 0;
}

cudaError_t sim_bind_texture(unsigned long long *object, const struct cudaResourceDesc *resource,
                             const struct cudaTextureDesc *description) {
    SIM_BEGIN_AS("cudaBindTexture", cudaErrorInvalidValue);
    sim_wait_all(); /* a launch uses what is bound when it is queued */
    sim_lock_device();
    unbind(object, location);
    cudaError_t error =
        resource ? sim_create_texture(object, resource, description, location) : cudaSuccess;
    if (resource && error == cudaSuccess) {
        sim_texture_of(*object)->is_reference = true;
    }
    sim_unlock_device();
    return sim_answer(error);
}

cudaError_t sim_bind_surface(unsigned long long *object, cudaArray_const_t array) {
    SIM_BEGIN_AS("cudaBindSurfaceToArray", cudaErrorInvalidValue);
    struct cudaResourceDesc resource = {.resType = cudaResourceTypeArray,
                                        .res.array.array = (cudaArray_t)(uintptr_t)array};
    sim_wait_all(); /* a launch uses what is bound when it is queued */
    sim_lock_device();
    unbind(object, location);
    cudaError_t error = sim_create_surface(object, &resource, location);
    if (error == cudaSuccess) {
        sim_texture_of(*object)->is_reference = true;
    }
    sim_unlock_device();
    return sim_answer(error);
}

cudaError_t sim_bind_range(size_t *offset, const void *pointer, size_t bytes, void **start,
                           size_t *size) {
    sim_lock_device();
    size_t past = sim_texture_misalignment(pointer), room = room_at(pointer);
    sim_unlock_device();
    SIM_FAIL_IF(past != 0 && !offset, cudaErrorInvalidValue);
    if (offset) {
        *offset = past;
    }
    *start = (char *)(uintptr_t)pointer - past;
    *size = past + (bytes < room ? bytes : room);
    return room > 0 ? cudaSuccess : sim_fail(cudaErrorInvalidDevicePointer);
}
