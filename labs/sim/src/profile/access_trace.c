#include "profile/access_trace.h"

#include "base/options.h"
#include "base/record.h"
#include "exec/thread.h"
#include "json.h"
#include "profile/warp_replay.h"

#include <stdio.h>
#include <stdlib.h>

/* Bytes of a run: with all else that it reports, less than EVIDENCE_MOST. */
enum { MOST = 3 << 20 };

static struct {
    FILE *file;
    char *text;
    size_t length, written; /* written: in the launches before */
} kept;

/* Are the addresses of one active lane and the next equally far apart? Most are; then the first
 * one and the step say all. */
static bool equal_steps(const struct warp_access *a, long long *step) {
    uint64_t before = a->address[__builtin_ctz(a->active)];
    uint32_t left = a->active & (a->active - 1);
    *step = left ? (long long)(a->address[__builtin_ctz(left)] - before) : 0;
    for (; left; left &= left - 1) {
        const uint64_t at = a->address[__builtin_ctz(left)];
        if ((long long)(at - before) != *step) {
            *step = 0;
            return false;
        }
        before = at;
    }
    return true;
}

void access_trace_note(const struct traced_access *t) {
    if (sim_options.accesses == NULL || kept.written + kept.length > MOST) {
        return;
    }
    if (kept.file == NULL && (kept.file = open_memstream(&kept.text, &kept.length)) == NULL) {
        return;
    }
    const struct warp_access *a = t->access;
    fprintf(kept.file,
            "{\"launch\":%u,\"pc\":%llu,\"space\":\"%s\",\"store\":%s,\"width\":%u,"
            "\"block\":[%u,%u,%u],\"warp\":%u,\"active\":%u,\"bytes\":%zu,\"start\":%zu",
            t->launch, (unsigned long long)(t->code & UINT32_MAX), t->space,
            t->code & EVENT_STORE ? "true" : "false", a->width, blockIdx.x, blockIdx.y, blockIdx.z,
            t->warp, a->active, t->bytes, t->start);
    if (t->array != NULL) {
        fprintf(kept.file, ",\"array\":");
        json_write(kept.file, t->array);
    }
    long long step;
    const bool equal = equal_steps(a, &step);
    fprintf(kept.file, ",\"step\":%lld,\"offsets\":[", step);
    for (uint32_t left = a->active; left; left &= left - 1) {
        fprintf(kept.file, "%s%llu", left == a->active ? "" : ",",
                (unsigned long long)(a->address[__builtin_ctz(left)] - t->origin));
        if (equal) {
            break;
        }
    }
    fprintf(kept.file, "]}\n");
    fflush(kept.file); /* sets the length */
}

void access_trace_write(void) {
    static struct sim_record record = {EVIDENCE_ACCESS, false};
    if (kept.file == NULL) {
        return;
    }
    if (fclose(kept.file) == 0) {
        sim_record(&record, sim_options.accesses, kept.text, kept.length);
    }
    kept.written += kept.length;
    free(kept.text);
    kept.file = NULL;
    kept.text = NULL;
    kept.length = 0;
}
