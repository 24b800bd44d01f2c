#include "crash.h"

#include "evidence/evidence.h"

#include <errno.h>
#include <execinfo.h>
#include <link.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
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

struct finding {
    const char *kind, *message;
};

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

static struct finding fault(const siginfo_t *info, const ucontext_t *context, int last_error) {
    const uintptr_t address = (uintptr_t)info->si_addr, top = stack_pointer(context);
    if (info->si_code == SI_KERNEL) { /* x86 gives no address for these */
        return (struct finding){
            "protection-fault",
            "general protection fault: an instruction such as that of _mm_load_si128() got an "
            "address that is not a multiple of its size, or a pointer is not valid"};
    }
    if (address < NEAR_NULL && last_error == ENOMEM) {
        return (struct finding){"null-pointer",
                                "a NULL pointer is used. The call that failed last had not enough "
                                "memory: malloc() then returns NULL; check what it returns"};
    }
    if (address < NEAR_NULL) {
        return (struct finding){"null-pointer", "a NULL pointer is used"};
    }
    if (top - address + NEAR_STACK < 2 * NEAR_STACK) {
        return (struct finding){"stack-overflow",
                                "endless recursion, or local arrays that are too large"};
    }
    return (struct finding){"crash", "accesses memory that your program does not own"};
}

static struct finding finding_of(int number, const siginfo_t *info, const ucontext_t *context,
                                 int last_error) {
    switch (number) {
    case SIGFPE:
        return (struct finding){"division-by-zero", "an integer is divided by 0"};
    case SIGABRT:
        return (struct finding){"aborted",
                                "abort() was called here, or by a function that is called here: "
                                "free() calls it for a pointer that malloc() did not return, and "
                                "an exception that nothing catches, as when `new` or a "
                                "std::vector gets no memory"};
    case SIGILL:
        return (struct finding){"crash", "this processor does not have this instruction"};
    default:
        return fault(info, context, last_error);
    }
}

/* The signal handler. It restores what the signal does without it, which then happens. */
static void explain(int number, siginfo_t *info, void *context) {
    const int last_error = errno;
    const struct finding f = finding_of(number, info, context, last_error);
    const char *pc = position_of(context);
    const uintptr_t at = pc ? (uintptr_t)pc - (_r_debug.r_map ? _r_debug.r_map->l_addr : 0) : 0;
    char line[512];
    const int length = snprintf(line, sizeof line,
                                "{\"severity\":\"error\",\"kind\":\"%s\",\"message\":\"%s\","
                                "\"pc\":%ju}\n",
                                f.kind, f.message, (uintmax_t)at);
    if (length > 0) {
        evidence_write(EVIDENCE_FINDING, line, (size_t)length);
    }
    signal(number, SIG_DFL);
    errno = last_error;
}

void crash_catch(void) {
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    if (!evidence_is_open() || __asan_poison_memory_region) {
        return;
    }
    void *frame;
    backtrace(&frame, 1); /* loads its library now: a handler must not */
    stack_t own = {.ss_sp = stack, .ss_size = STACK};
    sigaltstack(&own, NULL);
    struct sigaction action = {.sa_sigaction = explain, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        sigaction(signals[i], &action, NULL);
    }
}
