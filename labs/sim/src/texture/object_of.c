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
    struct sim_finding finding = {.kernel = sim_worker->block.config->kernel,
                                  .location = at,
                                  .block = &blockIdx,
                                  .thread = &threadIdx,
                                  .text = role == TEXTURE_SURFACE ? "surface" : "texture"};
    if (t && t->destroyed) {
        finding.found = FOUND_TEXTURE_DESTROYED;
        finding.place = t->destroyed_at;
    } else if (t && t->array && t->array->freed) {
        finding.found = FOUND_TEXTURE_ARRAY_FREED;
        finding.object = (struct sim_object){
            .space = "array", .made = t->array->location, .gone = t->array->freed_at};
    } else {
        finding.found = handle == 0 ? FOUND_TEXTURE_NEVER_MADE : FOUND_NOT_A_TEXTURE;
    }
    sim_report_once(&finding);
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
