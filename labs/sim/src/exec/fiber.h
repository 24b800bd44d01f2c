/* Fibers: stacks that one host thread switches between. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct fiber {
    void *stack_pointer; /* of the fiber while it does not run; on other machines, its ucontext_t */
    char *stack;
    size_t bytes;
    char *mapping; /* the stack and its guard page; NULL for a host thread's own stack */
    size_t mapped;
    void (*entry)(void *);
    void *argument;
    void *fake_stack; /* AddressSanitizer's */
};

/* A fiber that will run entry(argument), which must never return. `index` staggers the stacks, so
 * that the same local variable of many threads does not fall into the same cache set.
 * Returns false when out of memory. */
bool fiber_create(struct fiber *fiber, unsigned index, void (*entry)(void *), void *argument);
void fiber_destroy(struct fiber *fiber);

/* How many fibers can exist at once: three quarters of the mappings that Linux allows a process,
 * and half of the address space that RLIMIT_AS does; the rest is the program's. */
size_t fiber_most(void);

/* Makes `fiber` stand for the stack that the calling host thread is on. */
void fiber_adopt_thread(struct fiber *fiber);

/* Suspends `from` and resumes `to`. Inline where it is a few instructions: a kernel with barriers
 * does little else. */
#if defined(__x86_64__) && !defined(SIM_UCONTEXT)
#define FIBER_ASSEMBLY
/* Jumps where `load` went on, and no return: the processor foresees where each of these jumps goes,
 * and the returns that follow still match their calls. Below the red zone of the caller. */
static inline __attribute__((always_inline)) void sim_fiber_switch(void **save, void *load) {
    __asm__ volatile("leaq -128(%%rsp), %%rsp\n\t"
                     "pushq %%rbp\n\t"
                     "leaq 1f(%%rip), %%rax\n\t"
                     "pushq %%rax\n\t"
                     "movq %%rsp, (%0)\n\t"
                     "movq %1, %%rsp\n\t"
                     "popq %%rax\n\t"
                     "jmpq *%%rax\n"
                     "1:\n\t"
                     "popq %%rbp\n\t"
                     "leaq 128(%%rsp), %%rsp"
                     : "+D"(save), "+S"(load)
                     :
                     : "rax", "rbx", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14",
                       "r15", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7",
                       "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15",
                       "memory", "cc");
}
#elif defined(__aarch64__) && !defined(SIM_UCONTEXT)
#define FIBER_ASSEMBLY
void sim_fiber_switch(void **save, void *load); /* fiber_switch.S */
#endif
#if defined(FIBER_ASSEMBLY) && !defined(__SANITIZE_ADDRESS__)
static inline
    __attribute__((always_inline)) void fiber_switch(struct fiber *from, struct fiber *to) {
    sim_fiber_switch(&from->stack_pointer, to->stack_pointer);
}
#else
#define FIBER_SWITCH_IS_CALLED
void fiber_switch(struct fiber *from, struct fiber *to);
#endif

/* The same for a fiber that waits: when it is resumed, *busy becomes false, and it gets what is
 * then in *result. As the last act of a function that a kernel calls, this goes on in the kernel at
 * once. It jumps there: a return would go where the fiber before has called from, as the processor
 * foresees it, and that one is often at the next barrier already. */
#if defined(__x86_64__) && defined(FIBER_ASSEMBLY) && !defined(FIBER_SWITCH_IS_CALLED)
unsigned long long sim_fiber_wait(void **save, void *load, volatile bool *busy,
                                  const unsigned long long *result);
#define FIBER_WAIT(from, to, busy, result)                                                         \
    sim_fiber_wait(&(from)->stack_pointer, (to)->stack_pointer, busy, result)
#else
static inline unsigned long long fiber_wait(struct fiber *from, struct fiber *to,
                                            volatile bool *busy, const unsigned long long *result) {
    fiber_switch(from, to);
    *busy = false;
    return *result;
}
#define FIBER_WAIT fiber_wait
#endif

/* Brings what a suspended fiber uses first into the cache: what is where it stopped, and what is at
 * two distances from there. */
static inline void fiber_prefetch(const struct fiber *fiber, ptrdiff_t a, ptrdiff_t b) {
    const char *at = fiber->stack_pointer;
    __builtin_prefetch(at);
    __builtin_prefetch(at + a);
    __builtin_prefetch(at + b);
}

/* A copy of what a suspended fiber has on its stack. */
struct fiber_image {
    char *bytes; /* from malloc() */
    size_t count;
    void *stack_pointer;
    unsigned char *marks; /* AddressSanitizer's, from malloc() */
};

/* Copies it; false when out of memory. */
bool fiber_save(const struct fiber *fiber, struct fiber_image *image);

/* Copies it back: the fiber is as it was when it was saved. */
void fiber_load(struct fiber *fiber, const struct fiber_image *image);

void fiber_forget_image(struct fiber_image *image);

/* Forgets what the fiber was doing: it will run entry(argument) from its beginning. False when out
 * of memory. */
bool fiber_restart(struct fiber *fiber);

/* Is `address` in the guard page below this fiber's stack? */
bool fiber_overflowed(const struct fiber *fiber, const void *address);
