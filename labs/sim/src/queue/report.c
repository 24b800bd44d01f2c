#include "queue/report.h"

#include "memory/allocations.h"

#include <stdio.h>

/* "kernel scale", "the copy by cudaMemcpyAsync()" ... */
const char *sim_async_describe(const struct sim_operation *o, char *text, size_t size) {
    if (o->kind == SIM_OP_KERNEL) {
        snprintf(text, size, "kernel %s", o->name);
    } else {
        snprintf(text, size, "%s()", o->name);
    }
    return text;
}

static void describe_memory(const void *address, char *text, size_t size) {
    sim_lock_device();
    const struct sim_allocation *a = sim_owner(address);
    if (a) {
        sim_describe_allocation(a, text, size);
    } else {
        snprintf(text, size, "%s", sim_device_end(address) ? "a device variable" : "host memory");
    }
    sim_unlock_device();
}

struct sim_finding sim_async_finding(const struct sim_async *w, const char *kind) {
    return (struct sim_finding){.kind = kind,
                                .kernel =
                                    w->operation.kind == SIM_OP_KERNEL ? w->operation.name : NULL,
                                .location = w->operation.location};
}

/* `a` ran first. */
void sim_async_report_race(const struct sim_async *a, const struct sim_async *b, const void *at) {
    struct sim_finding f = sim_async_finding(a, "async-race");
    f.other = b->operation.location;
    char first[128], second[128], memory[200];
    describe_memory(at, memory, sizeof memory);
    if (b->is_early && a->lane == b->lane) {
        f = sim_async_finding(b, "async-race");
        f.other = a->operation.location;
        sim_report_once(
            &f,
            "%s accesses bytes of %s that %s, before it in its stream, accesses too, "
            "and at least one of them writes; its launch lets it overlap that kernel: call "
            "cudaGridDependencySynchronize() before the first such access",
            sim_async_describe(&b->operation, second, sizeof second), memory,
            sim_async_describe(&a->operation, first, sizeof first));
        return;
    }
    sim_report_once(&f,
                    "%s and %s in another stream access the same bytes of %s, at least one of them "
                    "writes, and either may run first: let one stream wait for an event of the "
                    "other, or let the host wait for the first",
                    sim_async_describe(&a->operation, first, sizeof first),
                    sim_async_describe(&b->operation, second, sizeof second), memory);
}

/* Is it the first finding for this instruction, or call, and operation? */
static bool is_new(const void *pc, const struct sim_location *call, const struct sim_operation *o) {
    static struct {
        const void *pc, *file;
        int line, call_line;
    } known[256];
    static unsigned count;
    for (unsigned i = 0; i < count; i++) {
        if (known[i].pc == pc && known[i].file == o->location.file &&
            known[i].line == o->location.line && known[i].call_line == call->line) {
            return false;
        }
    }
    if (count < sizeof known / sizeof *known) {
        known[count].pc = pc;
        known[count].file = o->location.file;
        known[count].call_line = call->line;
        known[count++].line = o->location.line;
        return true;
    }
    return false;
}

void sim_async_report_host(struct sim_async *w, const struct host_access *h, const void *at) {
    w->reported = true;
    if (!is_new(h->pc, &h->location, &w->operation)) {
        return;
    }
    char operation[128], memory[200];
    describe_memory(at, memory, sizeof memory);
    sim_async_describe(&w->operation, operation, sizeof operation);
    struct sim_finding f = {.kind = h->call ? "pending-work" : "async-race",
                            .location = h->location,
                            .pc = h->pc,
                            .other = w->operation.location};
    if (h->call) {
        sim_report(&f,
                   "%s() ends memory that %s, which was queued at line %d, still uses: wait "
                   "for it first (%s)",
                   h->call, operation, w->operation.location.line, memory);
    } else {
        sim_report(
            &f,
            "host code %s %s while %s, which was queued at line %d and %s it, may still run: "
            "wait for it first, with cudaStreamSynchronize() or an event",
            h->written ? "writes" : "reads", memory, operation, w->operation.location.line,
            h->written ? "uses" : "writes");
    }
}
