/* Texture and surface objects. */
#include "api/api.h"
#include "api/texture_create.h"
#include "base/at_end.h"
#include "base/options.h"
#include "queue/queue.h"

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *texture,
                                    const struct cudaResourceDesc *resource,
                                    const struct cudaTextureDesc *description, const void *view) {
    SIM_BEGIN(cudaErrorInvalidValue);
    SIM_FAIL_IF(!texture || !resource, cudaErrorInvalidValue);
    SIM_FAIL_IF(!description, cudaErrorInvalidResourceHandle);
    SIM_FAIL_IF(view, cudaErrorNotSupported);
    sim_lock_device();
    cudaError_t error = sim_create_texture(texture, resource, description, location);
    sim_unlock_device();
    return sim_answer(error);
}

static cudaError_t destroy(unsigned long long handle, int role, const char *call,
                           struct sim_location location) {
    if (!sim_checked) {
        /* A device goes on with the kernels that use it, in practice: nothing takes its place yet.
         * A checked program gets a finding. */
        sim_wait_all();
    }
    sim_lock_device();
    struct sim_texture *t = sim_texture_of(handle);
    bool again = t && t->destroyed;
    bool ours = t && !again && t->role == role;
    if (again) {
        sim_report(&(struct sim_finding){.found = FOUND_DESTROY_AGAIN,
                                         .location = location,
                                         .call = call,
                                         .place = t->destroyed_at});
    } else if (ours) {
        sim_texture_destroy(t, location);
    }
    sim_unlock_device();
    return ours || handle == 0 ? cudaSuccess : sim_fail(cudaErrorInvalidValue);
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texture) {
    SIM_BEGIN_RELEASE();
    return sim_after(earlier, destroy(texture, TEXTURE_TEXTURE, __func__, location));
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *surface,
                                    const struct cudaResourceDesc *resource) {
    SIM_BEGIN(cudaErrorInvalidValue);
    SIM_FAIL_IF(!surface || !resource, cudaErrorInvalidValue);
    sim_lock_device();
    cudaError_t error = sim_create_surface(surface, resource, location);
    sim_unlock_device();
    return sim_answer(error);
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surface) {
    SIM_BEGIN_RELEASE();
    return sim_after(earlier, destroy(surface, TEXTURE_SURFACE, __func__, location));
}

SIM_AT_END(sim_report_textures);
