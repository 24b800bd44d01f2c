#include "fence.h"

#include "evidence/our_fault.h"
#include "state.h"

#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096 };

/* In a program built with AddressSanitizer these make an access to the pattern a finding with its
 * line; in any other program they do not exist. */
extern void __asan_poison_memory_region(const volatile void *, size_t) __attribute__((weak));
extern void __asan_unpoison_memory_region(const volatile void *, size_t) __attribute__((weak));

static unsigned char *first_open(const struct fence *fence) {
    return fence->mapping + PAGE;
}

static unsigned char *end_of_open(const struct fence *fence) {
    return fence->mapping + fence->mapped - PAGE;
}

static void fill(unsigned char *from, const unsigned char *to) {
    for (size_t i = 0; from + i < to; i++) {
        from[i] = runner_guard_byte(i);
    }
    if (__asan_poison_memory_region && from < to) {
        __asan_poison_memory_region(from, (size_t)(to - from));
    }
}

static bool differs(unsigned char *from, const unsigned char *to) {
    if (__asan_unpoison_memory_region && from < to) {
        __asan_unpoison_memory_region(from, (size_t)(to - from));
    }
    bool found = false;
    for (size_t i = 0; from + i < to && !found; i++) {
        found = from[i] != runner_guard_byte(i);
    }
    if (__asan_poison_memory_region && from < to) {
        __asan_poison_memory_region(from, (size_t)(to - from));
    }
    return found;
}

struct fence fence_make(size_t bytes, size_t alignment, bool at_end) {
    const size_t used = (bytes + alignment - 1) / alignment * alignment;
    const size_t open = (used + PAGE - 1) / PAGE * PAGE;
    struct fence fence = {.bytes = bytes, .mapped = PAGE + open + PAGE};

    void *mapping =
        mmap(NULL, fence.mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapping == MAP_FAILED) {
        our_fault("not enough memory for an array of %zu bytes", bytes);
    }
    fence.mapping = mapping;
    if (mprotect(fence.mapping, PAGE, PROT_NONE) != 0 ||
        mprotect(end_of_open(&fence), PAGE, PROT_NONE) != 0) {
        our_fault("a page of memory cannot be protected");
    }
    fence.data = at_end ? end_of_open(&fence) - used : first_open(&fence);
    fill(first_open(&fence), fence.data);
    fill(fence.data + bytes, end_of_open(&fence));
    return fence;
}

void fence_begin_later(struct fence *fence, size_t by) {
    fence->data += by;
    fence->bytes -= by;
    fill(first_open(fence), fence->data);
}

struct fence fence_copy(const void *data, size_t bytes) {
    struct fence fence = fence_make(bytes, 4, true);
    memcpy(fence.data, data, bytes);
    return fence;
}

bool fence_broken_before(const struct fence *fence) {
    return differs(first_open(fence), fence->data);
}

bool fence_broken_after(const struct fence *fence) {
    return differs(fence->data + fence->bytes, end_of_open(fence));
}

void fence_make_read_only(const struct fence *fence) {
    if (mprotect(first_open(fence), fence->mapped - 2 * (size_t)PAGE, PROT_READ) != 0) {
        our_fault("an input cannot be made read-only");
    }
}

void fence_remove(struct fence *fence) {
    if (fence->mapping == NULL) {
        return;
    }
    if (__asan_unpoison_memory_region) {
        __asan_unpoison_memory_region(first_open(fence), fence->mapped - 2 * (size_t)PAGE);
    }
    munmap(fence->mapping, fence->mapped);
    *fence = (struct fence){0};
}
