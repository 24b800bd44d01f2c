/* Texture and surface objects. */
#include "api/api.h"
#include "api/texture_create.h"
#include "base/at_end.h"
#include "base/options.h"
#include "queue/queue.h"

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *texture,
                                    const struct cudaResourceDesc *resource,
                                    const struct cudaTextureDesc *description,
                                    const struct cudaResourceViewDesc *view) {
    SIM_BEGIN(cudaErrorInvalidValue);
    SIM_FAIL_IF(!texture || !resource, cudaErrorInvalidValue);
    SIM_FAIL_IF(!description, cudaErrorInvalidResourceHandle);
    sim_lock_device();
    cudaError_t error = sim_create_texture(texture, resource, description, view, location);
    sim_unlock_device();
    return sim_answer(error);
}

/* The live object of a handle and a role, or NULL. */
static struct sim_texture *live(unsigned long long handle, int role) {
    struct sim_texture *t = sim_texture_of(handle);
    return t && !t->destroyed && t->role == role ? t : NULL;
}

static cudaError_t destroy(unsigned long long handle, int role, const char *call,
                           struct sim_location location) {
    if (!sim_checked) {
        /* A device goes on with the kernels that use it, in practice: nothing takes its place yet.
         * A checked program is told. */
        sim_wait_all();
    }
    sim_lock_device();
    struct sim_texture *t = sim_texture_of(handle);
    bool again = t && t->destroyed;
    bool ours = t && !again && t->role == role;
    if (again) {
        struct sim_finding finding = {.kind = "use-after-free", .location = location};
        sim_report(&finding, "%s() of an object that was already destroyed at %s:%d", call,
                   t->destroyed_at.file ? t->destroyed_at.file : "?", t->destroyed_at.line);
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

#define GET(to, role, member)                                                                      \
    SIM_BEGIN(cudaErrorInvalidValue);                                                              \
    const struct sim_texture *t = live(object, role);                                              \
    SIM_FAIL_IF(!t || !to, cudaErrorInvalidValue);                                                 \
    *to = t->member;                                                                               \
    return cudaSuccess

cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *resource,
                                             cudaTextureObject_t object) {
    GET(resource, TEXTURE_TEXTURE, resource);
}

cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *description,
                                            cudaTextureObject_t object) {
    GET(description, TEXTURE_TEXTURE, description);
}

cudaError_t cudaGetTextureObjectResourceViewDesc(struct cudaResourceViewDesc *view,
                                                 cudaTextureObject_t object) {
    GET(view, TEXTURE_TEXTURE, view);
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

cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *resource,
                                             cudaSurfaceObject_t object) {
    GET(resource, TEXTURE_SURFACE, resource);
}

SIM_AT_END(sim_report_textures);
