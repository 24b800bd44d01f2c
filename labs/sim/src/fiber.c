#include "fiber.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#define LEAVE(from, to) __sanitizer_start_switch_fiber(&(from)->fake_stack, (to)->stack, (to)->bytes)
#define ARRIVE(at) __sanitizer_finish_switch_fiber((at)->fake_stack, NULL, NULL)
#else
#define LEAVE(from, to) ((void)0)
#define ARRIVE(at) ((void)0)
#endif

#define PAGE ((size_t)4096)
#define STACK ((size_t)256 * 1024)
#define STAGGER 448 /* bytes: an odd number of cache lines */

void sim_fiber_switch(void **save, void *load);
void sim_fiber_start(void);
void sim_fiber_main(struct fiber *fiber);

void sim_fiber_main(struct fiber *fiber) {
    ARRIVE(fiber);
    fiber->entry(fiber->argument);
}

bool fiber_create(struct fiber *fiber, unsigned index, void (*entry)(void *), void *argument) {
    size_t mapped = STACK + PAGE;
    char *mapping = mmap(NULL, mapped, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (mapping == MAP_FAILED) {
        return false;
    }
    if (mprotect(mapping, PAGE, PROT_NONE) != 0) {
        munmap(mapping, mapped);
        return false;
    }
    *fiber = (struct fiber){.stack = mapping + PAGE, .mapping = mapping, .bytes = STACK,
                            .mapped = mapped, .entry = entry, .argument = argument};
    uintptr_t top = (uintptr_t)mapping + mapped - (size_t)(index % 32) * STAGGER;
    void **frame = (void **)(top & ~(uintptr_t)15);
#if defined(__x86_64__)
    *--frame = (void *)(uintptr_t)sim_fiber_start;
    frame -= 6;
    memset(frame, 0, 6 * sizeof *frame);
    frame[3] = fiber; /* r12 */
#else
    frame -= 20;
    memset(frame, 0, 20 * sizeof *frame);
    frame[1] = (void *)(uintptr_t)sim_fiber_start; /* x30 */
    frame[2] = fiber;                              /* x19 */
#endif
    fiber->stack_pointer = frame;
    return true;
}

void fiber_destroy(struct fiber *fiber) {
    munmap(fiber->mapping, fiber->mapped);
}

void fiber_switch(struct fiber *from, struct fiber *to) {
    LEAVE(from, to);
    sim_fiber_switch(&from->stack_pointer, to->stack_pointer);
    ARRIVE(from);
}

bool fiber_overflowed(const struct fiber *fiber, const void *address) {
    const char *at = address;
    return fiber->mapping && at >= fiber->mapping && at < fiber->mapping + PAGE;
}
