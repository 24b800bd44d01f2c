/* Explains a fault: which memory was accessed, and by which thread. */
#include "exec/fault.h"

#include "base/code.h"
#include "base/options.h"
#include "exec/hooks.h"
#include "exec/misaligned.h"
#include "exec/shared.h"
#include "exec/thread.h"
#include "memory/allocations.h"

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
    finding.kind = "stack-overflow";
    sim_report(
        &finding,
        "host code needs more than its stack of %llu KB: local arrays that are too large, or "
        "endless recursion; large arrays belong into malloc(), new or std::vector",
        (unsigned long long)stack.rlim_cur / 1024);
    return true;
}

/* Reports the allocation at or near the address that `who` accessed. */
static void report(struct sim_finding *f, const char *address, const char *who) {
    const struct sim_allocation *a = sim_owner(address);
    char array[160] = "";
    if (a) {
        sim_describe_allocation(a, array, sizeof array);
    }
    f->kind = "out-of-bounds";
    if (!a && !f->kernel) {
        f->kind = "crash";
        sim_report(f, "segmentation fault in %s at address %p", who, (const void *)address);
    } else if (!a && (uintptr_t)address < 65536) {
        sim_report(f, "%s used a null pointer: was memory allocated, and did that succeed?", who);
    } else if (!a) {
        sim_report(f, "%s accessed address %p, which belongs to no allocation", who,
                   (const void *)address);
    } else if (a->freed) {
        f->kind = "use-after-free";
        sim_report(f, "%s accessed memory that was already freed (%s)", who, array);
    } else if (address < a->base) {
        sim_report(f, "%s accessed memory %td bytes before %s", who, a->base - address, array);
    } else if (address >= a->base + a->bytes) {
        sim_report(f, "%s accessed memory %td bytes past the end of %s", who,
                   address - (a->base + a->bytes), array);
    } else {
        f->kind = "wrong-space";
        sim_report(f,
                   "%s accessed device memory (%s), which host code cannot access: copy it with "
                   "cudaMemcpy()",
                   who, array);
    }
}

/* Reports an integer division that faulted. Only x86-64 has such faults: on aarch64, as on a GPU,
 * any division gives a value. */
static void report_division(const struct sim_finding *known, const char *who) {
    struct sim_finding finding = *known;
    finding.kind = "division-by-zero";
    sim_report_once(
        &finding, "%s divides an integer by zero, or the smallest integer by -1%s", who,
        known->kernel ? ": a GPU does not stop there, and goes on with an undefined value" : "");
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
    struct sim_finding finding = {.kind = "out-of-bounds", .location = c->location};
    if (address >= c->from && address < c->from + c->from_bytes) {
        sim_report(&finding,
                   "%s() reads %zu bytes from host memory, but your program can read only %zu from "
                   "that address on: is the number of bytes right, and is the source that long?",
                   c->name, c->from_bytes, readable_bytes(c->from, c->from_bytes));
        return true;
    }
    if (address >= c->to && address < c->to + c->to_bytes) {
        sim_report(&finding,
                   "%s() writes %zu bytes to host memory that your program does not own or may not "
                   "write: is the number of bytes right, and is the destination that long?",
                   c->name, c->to_bytes);
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
            report_division(&finding, "host code");
        } else if (sim_options.fault_is_error && report_stack(&finding, address, context)) {
            return;
        } else if (report_call(address)) {
            return;
        } else if (before[number].sa_flags & SA_SIGINFO && !sim_owner(address)) {
            sigaction(number, &before[number], NULL); /* of the runner, which says more */
        } else {
            report(&finding, address, "host code");
        }
        return;
    }
    char who[256];
    snprintf(who, sizeof who, "thread (%u,%u,%u) of block (%u,%u,%u) of kernel %s", thread.x,
             thread.y, thread.z, block.x, block.y, block.z, kernel);
    finding.kernel = kernel;
    finding.block = &block;
    finding.thread = &thread;
    if (number == SIGFPE) {
        report_division(&finding, who);
    } else if (on_guard) {
        finding.kind = "stack-overflow";
        sim_report(&finding,
                   "stack overflow in %s: endless recursion, or local arrays that are too large",
                   who);
    } else if (sim_past_dynamic_shared(address)) {
        finding.kind = "out-of-bounds";
        char what[256] = "shared memory";
        const struct worker *w = sim_worker;
        const size_t offset = (size_t)(address - w->block.dynamic);
        const size_t asked = w->block.config->shared;
        const char *advice = "";
        if (w->block.dynamic_name && offset % w->block.dynamic_element == 0) {
            advice = sim_if_elements(asked, w->block.dynamic_element, offset);
            snprintf(what, sizeof what, "%s[%zu]", w->block.dynamic_name,
                     offset / w->block.dynamic_element);
        }
        sim_report(&finding,
                   "%s accessed %s past its end: the launch asked for %zu bytes of dynamic shared "
                   "memory%s",
                   who, what, asked, advice);
    } else if (info->si_code == SI_KERNEL && used_what_was_never_set(context)) {
        finding.kind = "out-of-bounds";
        sim_report(&finding, "%s used a pointer that was never set", who);
    } else if (info->si_code == SI_KERNEL) { /* x86 gives no address for these */
        finding.kind = "misaligned";
        error = cudaErrorMisalignedAddress;
        sim_report(&finding,
                   "%s used an invalid address, or one that is not a multiple of the size of the "
                   "access",
                   who);
    } else {
        report(&finding, address, who);
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
