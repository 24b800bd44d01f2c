/* malloc(), free(), new and delete: of the device's heap in a kernel, of the host's elsewhere. */
#include "base/errors.h"
#include "exec/hooks.h"
#include "exec/thread.h"
#include "memory/heap.h"

#include <stdlib.h>

void *sim_heap_allocate(size_t bytes, const void *pc, const char *file, int line) {
    struct worker *w = sim_worker;
    if (!w || !w->block.config) {
        void *memory = malloc(bytes);
        if (sim_hooks) {
            sim_hooks->host_allocated(memory, bytes, NULL, (struct sim_location){file, line});
        }
        return memory;
    }
    bool busy = w->lane.busy;
    w->lane.busy = true;
    void *memory = sim_heap_new(bytes, (struct sim_location){file, line}, pc);
    if (memory && sim_hooks) {
        sim_hooks->heap_changed(memory, bytes);
    }
    w->lane.busy = busy;
    return memory;
}

/* What `new T` allocates, a library may delete, so that nobody knows what is left; not so arrays.
 */
void *sim_heap_allocate_array(size_t bytes, const void *pc) {
    void *memory = sim_heap_allocate(bytes, pc, NULL, 0);
    if (memory && sim_hooks && !sim_on_device()) {
        sim_hooks->host_allocated(memory, bytes, pc, (struct sim_location){NULL, 0});
    }
    return memory;
}

/* Ends the kernel: the device's heap is then broken. */
__attribute__((noreturn)) static void refuse(enum heap_answer answer, const void *pointer,
                                             const void *pc, struct sim_location location) {
    const struct sim_allocation *owner = sim_owner(pointer);
    struct sim_finding finding = {.found = FOUND_KERNEL_FREES_UNKNOWN,
                                  .kernel = sim_worker->block.config->kernel,
                                  .location = location,
                                  .block = &blockIdx,
                                  .thread = &threadIdx,
                                  .pc = pc};
    if (answer == HEAP_FREED_BEFORE) {
        finding.found = FOUND_KERNEL_FREES_AGAIN;
    } else if (owner && owner->space != SIM_HEAP_MEMORY) {
        finding.found = FOUND_KERNEL_FREES_OTHERS;
        finding.object = sim_object_of(owner);
    } else {
        finding.address = pointer;
    }
    sim_report(&finding);
    sim_end_kernel(cudaErrorIllegalAddress);
}

/* Reports host code that frees what free() does not know; the system then ends the program. */
static void check_host_free(const void *pointer, const void *pc, struct sim_location location) {
    sim_lock_device();
    const struct sim_allocation *owner = sim_owner(pointer);
    if (owner && !owner->freed && owner->space != SIM_REGISTERED_MEMORY) {
        sim_report(&(struct sim_finding){.found = FOUND_HOST_FREES_DEVICE,
                                         .location = location,
                                         .pc = pc,
                                         .object = sim_object_of(owner)});
    }
    sim_unlock_device();
}

void sim_heap_free(void *pointer, const void *pc, const char *file, int line) {
    struct worker *w = sim_worker;
    if (!w || !w->block.config) {
        check_host_free(pointer, pc, (struct sim_location){file, line});
        if (sim_hooks) {
            sim_hooks->host_frees(pointer, (struct sim_location){file, line});
        }
        free(pointer);
        return;
    }
    if (!pointer) {
        return;
    }
    bool busy = w->lane.busy;
    w->lane.busy = true;
    enum heap_answer answer = sim_heap_delete(pointer);
    if (answer != HEAP_FREED) {
        refuse(answer, pointer, pc, (struct sim_location){file, line});
    }
    if (sim_hooks) {
        sim_hooks->heap_changed(pointer, 0);
    }
    w->lane.busy = busy;
}
