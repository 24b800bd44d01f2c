#include "crash.h"

#include "evidence/evidence.h"
#include "evidence/finding.h"

#include <errno.h>
#include <execinfo.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <ucontext.h>

/* No object lies there, but the members of one at NULL would. */
#define NEAR_NULL ((uintptr_t)4096)
#define NEAR_STACK ((uintptr_t)1 << 16) /* bytes around the stack pointer */
#define FRAMES 64
#define STACK ((size_t)64 * 1024)

extern void __asan_poison_memory_region(const volatile void *, size_t) __attribute__((weak));
extern const char __executable_start[], etext[];

static char stack[STACK];

static bool in_program(const void *pc) {
    return (const char *)pc >= __executable_start && (const char *)pc < etext;
}

static const void *program_counter(const ucontext_t *c) {
#if defined(__x86_64__)
    return (const void *)c->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    return (const void *)c->uc_mcontext.pc;
#else
    return (void)c, NULL;
#endif
}

static uintptr_t stack_pointer(const ucontext_t *c) {
#if defined(__x86_64__)
    return (uintptr_t)c->uc_mcontext.gregs[REG_RSP];
#elif defined(__aarch64__)
    return (uintptr_t)c->uc_mcontext.sp;
#else
    return (void)c, 0;
#endif
}

/* The instruction of the program that crashed or that called the library's function that did. The
 * frames begin with this file's own; the first one of a library, the return from the handler, ends
 * those. NULL: not known. */
static const void *position_of(const ucontext_t *context) {
    const void *pc = program_counter(context);
    if (in_program(pc)) {
        return pc;
    }
    void *frames[FRAMES];
    const int count = backtrace(frames, FRAMES);
    bool library = false;
    for (int i = 0; i < count; i++) {
        library = library || !in_program(frames[i]);
        if (library && in_program(frames[i])) {
            return (const char *)frames[i] - 1; /* it returns behind the call */
        }
    }
    return NULL;
}

static enum finding_kind fault(const siginfo_t *info, const ucontext_t *context, int last_error) {
    const uintptr_t address = (uintptr_t)info->si_addr, top = stack_pointer(context);
    if (info->si_code == SI_KERNEL) { /* x86 gives no address for these */
        return FOUND_CRASH_ALIGNMENT;
    }
    if (address < NEAR_NULL) { /* of malloc(), perhaps */
        return last_error == ENOMEM ? FOUND_CRASH_NO_MEMORY : FOUND_CRASH_NULL;
    }
    return top - address + NEAR_STACK < 2 * NEAR_STACK ? FOUND_CRASH_STACK : FOUND_CRASH_FOREIGN;
}

static enum finding_kind finding_of(int number, const siginfo_t *info, const ucontext_t *context,
                                    int last_error) {
    return number == SIGFPE    ? FOUND_CRASH_DIVISION
           : number == SIGABRT ? FOUND_ABORTED
           : number == SIGILL  ? FOUND_CRASH_INSTRUCTION
                               : fault(info, context, last_error);
}

/* The signal handler. It restores what the signal does without it, which then happens. */
static void explain(int number, siginfo_t *info, void *context) {
    const int last_error = errno;
    finding_write(finding_of(number, info, context, last_error), position_of(context));
    signal(number, SIG_DFL);
    errno = last_error;
}

void crash_catch(void) {
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    static bool is_caught;
    if (!evidence_is_open() || __asan_poison_memory_region || is_caught) {
        return; /* once a kernel has run, the simulator's own handler stays before this one */
    }
    is_caught = true;
    void *frame;
    backtrace(&frame, 1); /* loads its library now: a handler must not */
    stack_t own = {.ss_sp = stack, .ss_size = STACK};
    sigaltstack(&own, NULL);
    struct sigaction action = {.sa_sigaction = explain, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        sigaction(signals[i], &action, NULL);
    }
}
