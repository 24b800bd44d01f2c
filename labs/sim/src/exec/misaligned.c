/* Reports a vector at an address where a device stops: the trap of sim/vectors.h. */
#include "exec/misaligned.h"

#include "base/findings.h"
#include "exec/shared.h"
#include "exec/thread.h"
#include "memory/allocations.h"
#include "memory/variables.h"
#include "sim/vectors.h"

#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <ucontext.h>

struct trap {
    const char *address;
    size_t bytes, alignment;
    const void *pc;
};

/* Reads what the trap tells, and goes behind its instruction. False: it is no such trap. */
static bool read_trap(ucontext_t *c, struct trap *trap) {
    uint64_t address = 0, both = 0, mark = 0, pc = 0;
#if defined(__x86_64__)
    address = (uint64_t)c->uc_mcontext.gregs[REG_RAX];
    both = (uint64_t)c->uc_mcontext.gregs[REG_RDX];
    mark = (uint64_t)c->uc_mcontext.gregs[REG_RCX];
    pc = (uint64_t)c->uc_mcontext.gregs[REG_RIP];
    c->uc_mcontext.gregs[REG_RIP] += mark == SIM_MISALIGNED ? 2 : 0;
#elif defined(__aarch64__)
    address = c->uc_mcontext.regs[0];
    both = c->uc_mcontext.regs[1];
    mark = c->uc_mcontext.regs[2];
    pc = c->uc_mcontext.pc;
    c->uc_mcontext.pc += mark == SIM_MISALIGNED ? 4 : 0;
#else
    (void)c;
#endif
    *trap = (struct trap){(const char *)(uintptr_t)address, both >> 32, both & UINT32_MAX,
                          (const void *)(uintptr_t)pc};
    return mark == SIM_MISALIGNED;
}

/* Is it memory of the device, not of the host or of a thread? */
static bool is_of_device(const struct worker *w, const char *address) {
    return sim_owner(address) || sim_is_in_variables(address) ||
           (address >= w->arena && address < w->arena + SIM_SHARED_ARENA) ||
           (address >= w->block.dynamic && address < w->dynamic_end);
}

static void report(const struct trap *trap) {
    struct sim_finding finding = {.found = FOUND_MISALIGNED_VECTOR,
                                  .pc = trap->pc,
                                  .bytes = trap->bytes,
                                  .limit = (long long)trap->alignment,
                                  .value = (long long)((uintptr_t)trap->address % trap->alignment),
                                  .object = sim_object_of(sim_owner(trap->address))};
    uint3 block, thread;
    bool on_guard;
    sim_current(&finding.kernel, &block, &thread, trap->address, &on_guard);
    finding.block = &block;
    finding.thread = &thread;
    sim_report(&finding);
}

static void explain(int number, siginfo_t *info, void *context) {
    (void)info;
    const struct worker *w = sim_worker;
    struct trap trap;
    if (!read_trap(context, &trap)) {
        signal(number, SIG_DFL); /* it comes again, and ends the process */
    } else if (w && w->block.config && is_of_device(w, trap.address)) {
        report(&trap);
        sim_end_kernel(cudaErrorMisalignedAddress);
    }
}

void sim_catch_misaligned(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = explain;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER; /* the handler may not return */
    sigaction(SIGILL, &action, NULL);
}
