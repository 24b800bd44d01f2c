/* Explains a fault: which memory was accessed, and by which thread. */
#include "exec/fault.h"

#include "base/code.h"
#include "base/options.h"
#include "exec/hooks.h"
#include "exec/misaligned.h"
#include "exec/shared.h"
#include "exec/thread.h"
#include "memory/allocations.h"
#include "memory/variables.h"

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>

#define STACK ((size_t)64 * 1024)
#define NEAR_END ((size_t)1024 * 1024) /* arguments and environment, below the end of the stack */

const void *sim_program_counter(const void *context) {
    const ucontext_t *c = context;
#if defined(__x86_64__)
    return (const void *)c->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    return (const void *)c->uc_mcontext.pc;
#else
    (void)c;
    return NULL;
#endif
}

bool sim_is_never_set(uintptr_t address) {
    return address >> 32 == 0xfefefefe;
}

/* Does a register hold such an address? The instruction that faulted used one of them. */
static bool used_what_was_never_set(const void *context) {
#if defined(__x86_64__)
    const ucontext_t *c = context;
    for (int i = REG_R8; i <= REG_RCX; i++) {
        if (sim_is_never_set((uintptr_t)c->uc_mcontext.gregs[i])) {
            return true;
        }
    }
#else
    (void)context;
#endif
    return false;
}

static const char *stack_pointer(const void *context) {
    const ucontext_t *c = context;
#if defined(__x86_64__)
    return (const char *)c->uc_mcontext.gregs[REG_RSP];
#elif defined(__aarch64__)
    return (const char *)c->uc_mcontext.sp;
#else
    (void)c;
    return NULL;
#endif
}

/* Has main(), or what it calls, used more stack than there is? Reports it then. */
static bool report_stack(const struct sim_finding *known, const char *address,
                         const void *context) {
    extern const void *__libc_stack_end;
    struct rlimit stack;
    if (getrlimit(RLIMIT_STACK, &stack) != 0 || stack.rlim_cur == RLIM_INFINITY ||
        address < stack_pointer(context) - STACK ||
        address > (const char *)__libc_stack_end - stack.rlim_cur + NEAR_END ||
        stack_pointer(context) > (const char *)__libc_stack_end) {
        return false;
    }
    struct sim_finding finding = *known;
    finding.found = FOUND_HOST_STACK;
    finding.limit = (long long)stack.rlim_cur;
    sim_report(&finding);
    return true;
}

/* What is at, or near, the address that faulted. */
static enum finding_kind fault_at(const struct sim_allocation *a, const char *address,
                                  bool in_kernel) {
    return !a && !in_kernel ? FOUND_SEGMENTATION_FAULT
           : !a       ? (uintptr_t)address < 65536 ? FOUND_FAULT_NULL : FOUND_FAULT_NO_ALLOCATION
           : a->freed ? FOUND_FAULT_FREED
           : address < a->base             ? FOUND_FAULT_BEFORE
           : address >= a->base + a->bytes ? FOUND_FAULT_PAST_END
                                           : FOUND_FAULT_DEVICE;
}

/* Reports the allocation at or near the address that was accessed. */
static void report(struct sim_finding *f, const char *address) {
    const struct sim_allocation *a = sim_owner(address);
    f->found = fault_at(a, address, f->kernel != NULL);
    f->object = sim_object_of(a);
    f->offset = a ? address - a->base : 0;
    f->address = a ? NULL : address;
    f->cause = a ? sim_if_overflow(a->base, a->base + a->bytes, address) : NULL;
    sim_report(f);
}

/* Reports a store to constant memory: its pages can be read. */
static void report_constant(struct sim_finding *f, const char *address) {
    const struct sim_variable *v = sim_variable_at(address);
    f->found = FOUND_FAULT_CONSTANT;
    if (v) {
        f->object = (struct sim_object){
            .space = "constant", .name = v->name, .bytes = v->bytes, .made = {v->file, v->line}};
        f->offset = address - (const char *)v->address;
    }
    sim_report(f);
}

/* Reports an integer division that faulted. Only x86-64 has such faults: on aarch64, as on a GPU,
 * any division gives a value. */
static void report_division(struct sim_finding *f) {
    f->found = FOUND_DIVISION;
    sim_report_once(f);
}

/* Reports an access past the end of the dynamic shared memory that the launch asked for. */
static void report_dynamic(struct sim_finding *f, const char *address) {
    const struct worker *w = sim_worker;
    f->found = FOUND_FAULT_DYNAMIC;
    f->object = (struct sim_object){.space = "dynamic",
                                    .name = w->block.dynamic_name,
                                    .bytes = w->block.config->shared,
                                    .element = w->block.dynamic_element};
    f->offset = address - w->block.dynamic;
    f->cause = sim_if_elements(f->object.bytes, f->object.element, f->offset);
    sim_report(f);
}

/* The instruction of the program that faulted. For one of the C library it is the last one that
 * trace/ saw: the call of memcpy(), for example. */
static const void *position_of(const void *context) {
    const void *pc = sim_program_counter(context);
    const void *seen = sim_hooks && !sim_is_code(pc) ? sim_hooks->position() : pc;
    return seen ? seen : pc;
}

static _Thread_local const struct sim_accesses *for_call;

void sim_accesses_for_call(const struct sim_accesses *accesses) {
    for_call = accesses;
}

/* The bytes from `first` on that can be read. */
static size_t readable_bytes(const char *first, size_t bytes) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t at = 0;
    while (at < bytes && sim_is_readable(first + at)) {
        at += page - (uintptr_t)(first + at) % page;
    }
    return at < bytes ? at : bytes;
}

/* Is it the memory that a call of the program named? Reports it then. */
static bool report_call(const char *address) {
    const struct sim_accesses *c = for_call;
    if (!c) {
        return false;
    }
    struct sim_finding finding = {.location = c->location, .call = c->name};
    if (address >= c->from && address < c->from + c->from_bytes) {
        finding.found = FOUND_SOURCE_UNREADABLE;
        finding.bytes = c->from_bytes;
        finding.limit = (long long)readable_bytes(c->from, c->from_bytes);
        sim_report(&finding);
        return true;
    }
    if (address >= c->to && address < c->to + c->to_bytes) {
        finding.found = FOUND_DESTINATION_UNWRITABLE;
        finding.bytes = c->to_bytes;
        sim_report(&finding);
        return true;
    }
    return false;
}

static struct sigaction before[NSIG]; /* what the signals did before sim_catch_faults() */

/* The signal handler: explains the fault. A thread of a traced kernel then ends, so that the checks
 * go on; otherwise the signal ends the process. */
static void explain(int number, siginfo_t *info, void *context) {
    bool runs_code_there = info->si_addr == sim_program_counter(context);
    if (number == SIGSEGV && sim_worker && !runs_code_there &&
        (sim_open_at(info->si_addr) || sim_shared_map_wrapped(info->si_addr))) {
        return; /* the kernel's first access to an allocation: it is tried again */
    }
    const char *kernel, *address = info->si_addr;
    cudaError_t error =
        number == SIGFPE ? cudaErrorLaunchFailure : cudaErrorIllegalAddress; /* of the kernel */
    uint3 block, thread;
    bool on_guard = false;
    struct sim_finding finding = {.pc = position_of(context)};
    if (!sim_current(&kernel, &block, &thread, address, &on_guard)) {
        signal(number, SIG_DFL);
        if (number == SIGFPE) {
            report_division(&finding);
        } else if (sim_options.fault_is_error && report_stack(&finding, address, context)) {
            return;
        } else if (report_call(address)) {
            return;
        } else if (before[number].sa_flags & SA_SIGINFO && !sim_owner(address)) {
            sigaction(number, &before[number], NULL); /* of the runner, which says more */
        } else {
            report(&finding, address);
        }
        return;
    }
    finding.kernel = kernel;
    finding.block = &block;
    finding.thread = &thread;
    finding.block_size = &blockDim;
    if (number == SIGFPE) {
        report_division(&finding);
    } else if (on_guard) {
        finding.found = FOUND_KERNEL_STACK;
        sim_report(&finding);
    } else if (sim_is_constant(address)) {
        report_constant(&finding, address);
    } else if (sim_past_dynamic_shared(address)) {
        report_dynamic(&finding, address);
    } else if (info->si_code == SI_KERNEL && used_what_was_never_set(context)) {
        finding.found = FOUND_FAULT_NEVER_SET;
        sim_report(&finding);
    } else if (info->si_code == SI_KERNEL) { /* x86 gives no address for these */
        finding.found = FOUND_FAULT_MISALIGNED;
        error = cudaErrorMisalignedAddress;
        sim_report(&finding);
    } else {
        report(&finding, address);
    }
    if (sim_worker->lane.busy) {
        signal(number, SIG_DFL); /* inside the runtime: nothing can go on */
    } else if (sim_hooks) {
        sim_end_thread(error);
    } else if (number == SIGFPE || sim_options.fault_is_error) {
        sim_end_kernel(error);
    } else {
        signal(number, SIG_DFL);
    }
}

void sim_catch_faults(void) {
    static bool caught;
    if (caught) {
        return;
    }
    caught = true;
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = explain;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER; /* the handler may not return */
    sigaction(SIGSEGV, &action, &before[SIGSEGV]);
    sigaction(SIGBUS, &action, &before[SIGBUS]);
    sigaction(SIGFPE, &action, &before[SIGFPE]);
    sim_catch_misaligned();
}

void sim_prepare_fault_stack(void) {
    void *memory = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory != MAP_FAILED) {
        stack_t stack = {.ss_sp = memory, .ss_size = STACK};
        sigaltstack(&stack, NULL);
    }
}

bool sim_is_readable(const void *address) {
    if (sim_worker && sim_open_at(address)) {
        return true;
    }
    int ends[2]; /* write() says EFAULT where reading would fault */
    if (pipe(ends) != 0) {
        return false;
    }
    bool readable = write(ends[1], address, 1) == 1;
    close(ends[0]);
    close(ends[1]);
    return readable;
}

/* A program of its own may fault before it calls the runtime. */
__attribute__((constructor(102))) static void catch_faults_first(void) {
    if (sim_options.fault_is_error) {
        sim_catch_faults();
        sim_prepare_fault_stack();
    }
}
