#include "trace/foreign_calls.h"

#include "base/findings.h"
#include "calls/call_targets.h"
#include "exec/thread.h"

#include <unistd.h>

/* A call through a pointer keeps no vector register: labs/sim/src/calls/indirect_calls.S. */
#if defined(__x86_64__)
#define GENERAL_REGISTERS __attribute__((target("general-regs-only")))
#else
#define GENERAL_REGISTERS
#endif

__attribute__((noinline, cold)) void foreign_call(bool in_kernel, const void *pc) {
    if (in_kernel) {
        sim_report(
            &(struct sim_finding){.found = FOUND_KERNEL_CALLS_LIBRARY, .pc = (const char *)pc - 1});
        _exit(CALL_TARGETS_STATUS);
    }
}

GENERAL_REGISTERS static void calls_cxx_library(const void *pc) {
    foreign_call(sim_worker != NULL && sim_worker->block.config != NULL, pc);
}

__attribute__((constructor(103))) static void watch_cxx_library(void) {
    call_targets_watch_cxx_library(calls_cxx_library);
}
