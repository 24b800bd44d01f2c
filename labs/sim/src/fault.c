#include "block.h"
#include "sim.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#define STACK ((size_t)64 * 1024)

static const void *program_counter(const void *context) {
    const ucontext_t *c = context;
#if defined(__x86_64__)
    return (const void *)c->uc_mcontext.gregs[REG_RIP];
#else
    return (const void *)c->uc_mcontext.pc;
#endif
}

/* Says whose memory lies near the address that faulted. */
static void report(const void *address, const struct sim_finding *f, const char *who) {
    struct sim_finding finding = *f;
    const struct sim_allocation *a = sim_mapping_of(address);
    const char *at = address;
    if (!a) {
        finding.kind = "out-of-bounds";
        sim_report(&finding, "%s touched address %p, which belongs to no allocation", who, address);
        return;
    }
    const char *file = a->place.file ? a->place.file : "?";
    if (a->freed) {
        finding.kind = "use-after-free";
        sim_report(&finding, "%s touched memory that was freed before (%zu bytes, allocated at "
                             "%s:%d)", who, a->bytes, file, a->place.line);
    } else if (at < a->base) {
        finding.kind = "out-of-bounds";
        sim_report(&finding, "%s touched memory %td bytes before the %zu bytes that %s:%d "
                             "allocated", who, a->base - at, a->bytes, file, a->place.line);
    } else {
        finding.kind = "out-of-bounds";
        sim_report(&finding, "%s touched memory %td bytes after the end of the %zu bytes that "
                             "%s:%d allocated", who, at - (a->base + a->bytes), a->bytes, file,
                   a->place.line);
    }
}

/* Reports, then lets the signal take its course: the program dies of it. */
static void handle(int number, siginfo_t *info, void *context) {
    signal(number, SIG_DFL);
    const char *kernel;
    uint3 block, thread;
    bool overflow = false;
    struct sim_finding finding = {.severity = "error", .pc = program_counter(context)};
    if (!sim_current(&kernel, &block, &thread, &overflow, info->si_addr)) {
        if (sim_mapping_of(info->si_addr)) {
            report(info->si_addr, &finding, "the host code");
        }
        return;
    }
    finding.kernel = kernel;
    finding.block = &block;
    finding.thread = &thread;
    if (overflow) {
        finding.kind = "out-of-bounds";
        sim_report(&finding, "thread (%u,%u,%u) of kernel %s used up its stack: endless recursion, "
                             "or local arrays that are too large", thread.x, thread.y, thread.z,
                   kernel);
    } else if (number == SIGSEGV || number == SIGBUS) {
        char who[256];
        snprintf(who, sizeof who, "thread (%u,%u,%u) of block (%u,%u,%u) in kernel %s", thread.x,
                 thread.y, thread.z, block.x, block.y, block.z, kernel);
        report(info->si_addr, &finding, who);
    }
}

void sim_catch_faults(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = handle;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
}

void sim_fault_stack(void) {
    void *memory = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory != MAP_FAILED) {
        stack_t stack = {.ss_sp = memory, .ss_size = STACK};
        sigaltstack(&stack, NULL);
    }
}
