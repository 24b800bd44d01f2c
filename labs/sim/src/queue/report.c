#include "queue/report.h"

#include "memory/allocations.h"

/* As sim_object_of(), of whatever memory it is. */
static struct sim_object object_at(const void *address) {
    sim_lock_device();
    struct sim_object object = sim_object_of(sim_owner(address));
    if (object.space == NULL) {
        object.space = sim_device_end(address) ? "global" : "host";
    }
    sim_unlock_device();
    return object;
}

static bool is_kernel(const struct sim_operation *o) {
    return o->kind == SIM_OP_KERNEL;
}

struct sim_finding sim_async_finding(const struct sim_async *w, enum finding_kind found) {
    const struct sim_operation *o = &w->operation;
    return (struct sim_finding){.found = found,
                                .kernel = is_kernel(o) ? o->name : NULL,
                                .call = is_kernel(o) ? NULL : o->name,
                                .location = o->location};
}

static void name_other(struct sim_finding *f, const struct sim_operation *o) {
    f->other = o->location;
    f->other_kernel = is_kernel(o) ? o->name : NULL;
    f->other_call = is_kernel(o) ? NULL : o->name;
}

/* `a` ran first. */
void sim_async_report_race(const struct sim_async *a, const struct sim_async *b, const void *at) {
    const bool is_early = b->is_early && a->lane == b->lane;
    struct sim_finding f = is_early ? sim_async_finding(b, FOUND_RACE_OF_EARLY_LAUNCH)
                                    : sim_async_finding(a, FOUND_RACE_OF_STREAMS);
    name_other(&f, is_early ? &a->operation : &b->operation);
    f.object = object_at(at);
    sim_report_once(&f);
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
    struct sim_finding f = {.found = h->call ? FOUND_ENDS_USED_MEMORY : FOUND_RACE_WITH_HOST,
                            .location = h->location,
                            .pc = h->pc,
                            .call = h->call,
                            .verb = h->call      ? NULL
                                    : h->written ? "write"
                                                 : "read",
                            .object = object_at(at)};
    name_other(&f, &w->operation);
    sim_report(&f);
}
