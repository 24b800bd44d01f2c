#include "exec/fiber.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
/* AddressSanitizer would keep the frames of abandoned fibers marked after another mapping takes
 * their addresses. */
#define FORGET_FRAMES(at) __asan_unpoison_memory_region((at)->mapping, (at)->mapped)
#define LEAVE(from, to)                                                                            \
    __sanitizer_start_switch_fiber(&(from)->fake_stack, (to)->stack, (to)->bytes)
#define ARRIVE(at) __sanitizer_finish_switch_fiber((at)->fake_stack, NULL, NULL)
#else
#define FORGET_FRAMES(at) ((void)0)
#define LEAVE(from, to) ((void)0)
#define ARRIVE(at) ((void)0)
#endif

/* A local array may take all of the 512 KB that a thread of the device has. Only pages that are
 * used take memory. One frame may be larger than a page, so the guard is larger, too. */
#define STACK ((size_t)576 * 1024)
#define GUARD ((size_t)64 * 1024)
#define PAGE ((size_t)4096)
#define STAGGER 448 /* bytes: an odd number of cache lines */
#define STAGGERED 32

static void run_fiber(struct fiber *fiber) {
    ARRIVE(fiber);
    fiber->entry(fiber->argument);
}

#ifdef FIBER_ASSEMBLY

void sim_fiber_start(void); /* fiber_switch.S */

/* What sim_fiber_switch() takes from a stack that it enters for the first time: where it goes on,
 * zeroed registers, and the function and its argument for sim_fiber_start(). */
static bool prepare(struct fiber *fiber, char *top) {
#if defined(__x86_64__)
    void **frame = (void **)top - 3;
    frame[0] = (void *)(uintptr_t)sim_fiber_start;
    frame[1] = (void *)(uintptr_t)run_fiber;
    frame[2] = fiber;
#else
    void **frame = (void **)top - 20; /* x29 x30, x19 to x28, d8 to d15 */
    memset(frame, 0, 20 * sizeof *frame);
    frame[1] = (void *)(uintptr_t)sim_fiber_start;
    frame[2] = fiber;
    frame[3] = (void *)(uintptr_t)run_fiber;
#endif
    fiber->stack_pointer = frame;
    return true;
}

static void forget(struct fiber *fiber) {
    (void)fiber;
}

#ifdef FIBER_SWITCH_IS_CALLED
static void switch_stacks(struct fiber *from, struct fiber *to) {
    sim_fiber_switch(&from->stack_pointer, to->stack_pointer);
}
#endif

/* The lowest address that the suspended fiber uses. */
static char *lowest(const struct fiber *fiber) {
    return fiber->stack_pointer;
}

static void *save_context(const struct fiber *fiber) {
    return fiber->stack_pointer;
}

static void load_context(struct fiber *fiber, void *saved) {
    fiber->stack_pointer = saved;
}

#else

#include <ucontext.h>

/* makecontext() passes only ints: the pointer goes in two halves. */
static void start(unsigned high, unsigned low) {
    run_fiber((struct fiber *)((uintptr_t)high << 16 << 16 | low));
}

static bool prepare(struct fiber *fiber, char *top) {
    ucontext_t *context = calloc(1, sizeof *context);
    if (!context || getcontext(context) != 0) {
        free(context);
        return false;
    }
    context->uc_stack.ss_sp = fiber->stack;
    context->uc_stack.ss_size = (size_t)(top - fiber->stack);
    uintptr_t me = (uintptr_t)fiber;
    makecontext(context, (void (*)(void))start, 2, (unsigned)(me >> 16 >> 16), (unsigned)me);
    fiber->stack_pointer = context;
    return true;
}

static void forget(struct fiber *fiber) {
    free(fiber->stack_pointer);
}

static void switch_stacks(struct fiber *from, struct fiber *to) {
    if (!from->stack_pointer) {
        from->stack_pointer = calloc(1, sizeof(ucontext_t));
    }
    swapcontext(from->stack_pointer, to->stack_pointer);
}

/* A context does not say how much of its stack is in use. */
static char *lowest(const struct fiber *fiber) {
    return fiber->stack;
}

/* A context refers to itself, and so must keep its address: the image takes it. */
static void *save_context(const struct fiber *fiber) {
    return fiber->stack_pointer;
}

static void load_context(struct fiber *fiber, void *saved) {
    free(fiber->stack_pointer);
    fiber->stack_pointer = saved;
}

#endif

/* ---- mappings: a guard, and a stack above it */

#define MAPPED (((GUARD + STACK + STAGGER * STAGGERED + PAGE - 1) / PAGE | 1) * PAGE)

/* Mappings that no fiber has now. To map and unmap the stacks of each launch took longer than a
 * small kernel. */
static struct {
    pthread_mutex_t lock;
    unsigned count;
    char *mapping[2048]; /* two blocks of 1024 threads */
} unused = {.lock = PTHREAD_MUTEX_INITIALIZER};

#define MAPPINGS 65530 /* of a process, as Linux comes; a stack and its guard take two */

size_t fiber_most(void) {
    struct rlimit space;
    const size_t most = MAPPINGS / 2 / 4 * 3;
    if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur / 2 / MAPPED < most) {
        return space.rlim_cur / 2 / MAPPED;
    }
    return most;
}

#define TOGETHER 32 /* stacks that are mapped by one call */

#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102
#endif
#define NO_ADVICE (-1)

/* Maps some more stacks, unless out of memory. From 6.13 on Linux has a cheap way to make their
 * guards inaccessible, which does not split the mapping; but an emulator may take any advice and
 * ignore it. */
static void map_stacks(void) {
    char *mapping = mmap(NULL, TOGETHER * MAPPED, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (mapping == MAP_FAILED) {
        return;
    }
    const bool cheap = madvise(mapping, GUARD, NO_ADVICE) != 0;
    for (unsigned i = 0; i < TOGETHER; i++, mapping += MAPPED) {
        if ((cheap && madvise(mapping, GUARD, MADV_GUARD_INSTALL) == 0) ||
            mprotect(mapping, GUARD, PROT_NONE) == 0) {
            unused.mapping[unused.count++] = mapping;
        } else {
            munmap(mapping, MAPPED);
        }
    }
}

/* Returns MAPPED bytes of any content behind the guard, or NULL. */
static char *take_mapping(void) {
    pthread_mutex_lock(&unused.lock);
    if (unused.count == 0) {
        map_stacks();
    }
    char *mapping = unused.count > 0 ? unused.mapping[--unused.count] : NULL;
    pthread_mutex_unlock(&unused.lock);
    return mapping;
}

static void give_mapping_back(char *mapping) {
    bool kept = false;
    pthread_mutex_lock(&unused.lock);
    if (unused.count < sizeof unused.mapping / sizeof *unused.mapping) {
        unused.mapping[unused.count++] = mapping;
        kept = true;
    }
    pthread_mutex_unlock(&unused.lock);
    if (!kept) {
        munmap(mapping, MAPPED);
    }
}

bool fiber_create(struct fiber *fiber, unsigned index, void (*entry)(void *), void *argument) {
    char *mapping = take_mapping();
    if (!mapping) {
        return false;
    }
    char *top = mapping + MAPPED - (size_t)(index % STAGGERED) * STAGGER;
    *fiber = (struct fiber){.stack = mapping + GUARD,
                            .bytes = (size_t)(top - (mapping + GUARD)),
                            .mapping = mapping,
                            .mapped = MAPPED,
                            .entry = entry,
                            .argument = argument};
    if (!prepare(fiber, top)) {
        give_mapping_back(mapping);
        return false;
    }
    return true;
}

void fiber_destroy(struct fiber *fiber) {
    forget(fiber);
    FORGET_FRAMES(fiber);
    give_mapping_back(fiber->mapping);
}

#if defined(__SANITIZE_ADDRESS__)
#define GRANULE 8 /* bytes that AddressSanitizer has one mark for */

/* How many bytes of each granule may be accessed. */
static bool save_marks(struct fiber_image *image, const char *from) {
    size_t granules = image->count / GRANULE;
    image->marks = malloc(granules + 1);
    for (size_t i = 0; image->marks && i < granules; i++) {
        unsigned char usable = 0;
        while (usable < GRANULE && !__asan_address_is_poisoned(from + i * GRANULE + usable)) {
            usable++;
        }
        image->marks[i] = usable;
    }
    return image->marks != NULL;
}

static void load_marks(const struct fiber_image *image, char *to) {
    __asan_unpoison_memory_region(to, image->count);
    for (size_t i = 0; i < image->count / GRANULE; i++) {
        char *at = to + i * GRANULE + image->marks[i];
        if (image->marks[i] < GRANULE) {
            __asan_poison_memory_region(at, (size_t)(GRANULE - image->marks[i]));
        }
    }
}

/* Poisoned bytes, too, which memcpy() would report. */
__attribute__((no_sanitize_address)) static void copy_stack(char *to, const char *from,
                                                            size_t count) {
    for (size_t i = 0; i < count; i++) {
        ((volatile char *)to)[i] = from[i];
    }
}
#else
static bool save_marks(struct fiber_image *image, const char *from) {
    (void)from;
    image->marks = NULL;
    return true;
}

static void load_marks(const struct fiber_image *image, char *to) {
    (void)image;
    (void)to;
}

static void copy_stack(char *to, const char *from, size_t count) {
    memcpy(to, from, count);
}
#endif

bool fiber_save(const struct fiber *fiber, struct fiber_image *image) {
    const char *from = lowest(fiber);
    image->count = (size_t)(fiber->stack + fiber->bytes - from);
    image->stack_pointer = save_context(fiber);
    image->bytes = malloc(image->count);
    if (!image->bytes || !save_marks(image, from)) {
        fiber_forget_image(image);
        return false;
    }
    copy_stack(image->bytes, from, image->count);
    return true;
}

void fiber_load(struct fiber *fiber, const struct fiber_image *image) {
    char *to = fiber->stack + fiber->bytes - image->count;
    FORGET_FRAMES(fiber);
    copy_stack(to, image->bytes, image->count);
    load_marks(image, to);
    load_context(fiber, image->stack_pointer);
}

void fiber_forget_image(struct fiber_image *image) {
    free(image->bytes);
    free(image->marks);
    *image = (struct fiber_image){0};
}

bool fiber_restart(struct fiber *fiber) {
    FORGET_FRAMES(fiber);
    return prepare(fiber, fiber->stack + fiber->bytes);
}

void fiber_adopt_thread(struct fiber *fiber) {
    *fiber = (struct fiber){0};
    pthread_attr_t attributes;
    void *stack = NULL;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
        pthread_attr_getstack(&attributes, &stack, &fiber->bytes);
        pthread_attr_destroy(&attributes);
    }
    fiber->stack = stack;
}

#ifdef FIBER_SWITCH_IS_CALLED
void fiber_switch(struct fiber *from, struct fiber *to) {
    LEAVE(from, to);
    switch_stacks(from, to);
    ARRIVE(from);
}
#endif

bool fiber_overflowed(const struct fiber *fiber, const void *address) {
    const char *at = address;
    return fiber->mapping && at >= fiber->mapping && at < fiber->mapping + GUARD;
}
