#include "texture/object_of.h"

#include "exec/thread.h"

#include <stdio.h>
#include <stdlib.h>

/* Explains why the handle cannot be used, and ends the kernel. */
__attribute__((noreturn, cold)) static void
refuse(const struct sim_texture *t, unsigned long long handle, int role, struct sim_location at) {
    if (!sim_worker || !sim_worker->block.config) {
        fprintf(stderr, "convlabs-sim: %s:%d: host code calls a texture function of the device\n",
                at.file, at.line);
        abort();
    }
    const char *what = role == TEXTURE_SURFACE ? "surface" : "texture";
    struct sim_finding finding = {.kind = "use-after-free",
                                  .kernel = sim_worker->block.config->kernel,
                                  .location = at,
                                  .block = &blockIdx,
                                  .thread = &threadIdx};
    if (t && t->destroyed) {
        sim_report_once(&finding, "kernel %s uses a %s object that was destroyed at %s:%d",
                        finding.kernel, what, t->destroyed_at.file ? t->destroyed_at.file : "?",
                        t->destroyed_at.line);
    } else if (t && t->array && t->array->freed) {
        sim_report_once(
            &finding, "kernel %s uses a %s whose array (allocated at %s:%d) was freed at %s:%d",
            finding.kernel, what, t->array->location.file ? t->array->location.file : "?",
            t->array->location.line, t->array->freed_at.file ? t->array->freed_at.file : "?",
            t->array->freed_at.line);
    } else {
        finding.kind = "wrong-space";
        sim_report_once(&finding,
                        handle == 0 ? "kernel %s uses a %s that was never created or bound"
                                    : "kernel %s uses a number that is no %s object",
                        finding.kernel, what);
    }
    sim_end_kernel(cudaErrorIllegalAddress);
}

static const struct sim_texture *object(unsigned long long handle, int role, const char *file,
                                        int line) {
    const struct sim_texture *t = sim_texture_of(handle);
    if (!t || t->destroyed || t->role != role || (t->array && t->array->freed)) {
        refuse(t, handle, role, (struct sim_location){file, line});
    }
    return t;
}

const struct sim_texture *texture_object(unsigned long long handle, const char *file, int line) {
    return object(handle, TEXTURE_TEXTURE, file, line);
}

const struct sim_texture *surface_object(unsigned long long handle, const char *file, int line) {
    return object(handle, TEXTURE_SURFACE, file, line);
}
