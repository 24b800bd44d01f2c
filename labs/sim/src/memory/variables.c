#include "memory/variables.h"

#include "base/findings.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define MAX_KNOWN 64 /* addresses of variables; beyond this every address counts as known */

static struct sim_variable *variables;

/* The ranges whose address the program has asked for. */
static struct {
    const char *from, *to;
} known[MAX_KNOWN];
static unsigned known_count;

void sim_register_variable(struct sim_variable *variable) {
    variable->next = variables;
    variables = variable;
}

const struct sim_variable *sim_variables(void) {
    return variables;
}

const struct sim_variable *sim_variable_at(const void *address) {
    const struct sim_variable *v = variables;
    while (v && (uintptr_t)address - (uintptr_t)v->address >= v->bytes) {
        v = v->next;
    }
    return v;
}

/* An access of one beyond these is of memory that is not the device's. */
#define MOST_STATICS 1024
static struct sim_static statics[MOST_STATICS];
static unsigned static_count;

struct sim_static *sim_nth_static(unsigned i) {
    return i < static_count ? &statics[i] : NULL;
}

struct sim_static *sim_static_at(const void *address) {
    struct sim_static *s;
    unsigned i = 0;
    while ((s = sim_nth_static(i)) != NULL &&
           (uintptr_t)address - (uintptr_t)s->variable.address >= s->variable.bytes) {
        i++;
    }
    return s;
}

void sim_note_static(const char *name, const char *file, int line, const void *at,
                     unsigned long bytes) {
    if (static_count < MOST_STATICS && sim_static_at(at) == NULL) {
        statics[static_count++].variable = (struct sim_variable){
            .name = name, .file = file, .line = line, .address = at, .bytes = bytes};
    }
}

const char *sim_variables_end(const void *address) {
    unsigned i = sim_section_of(address);
    return i == SIM_SECTIONS ? NULL : sim_section(i).to;
}

void sim_note_address(const void *from, size_t bytes) {
    if (known_count < MAX_KNOWN) {
        known[known_count].from = from;
        known[known_count].to = (const char *)from + bytes;
    }
    known_count++;
}

bool sim_is_host_name(const void *pointer) {
    const char *at = pointer;
    if (known_count > MAX_KNOWN || !sim_is_in_variables(pointer)) {
        return false;
    }
    for (unsigned i = 0; i < known_count; i++) {
        if (at >= known[i].from && at < known[i].to) {
            return false;
        }
    }
    return true;
}

/* From the first to the last of the variables that only kernels may use; empty without any. */
static struct sim_section all_variables(void) {
    struct sim_section all = {NULL, NULL};
    for (unsigned i = 0; i < SIM_SHARED_WITH_HOST; i++) {
        const struct sim_section one = sim_section(i);
        if (one.from < one.to) {
            all.from = all.from && all.from < one.from ? all.from : one.from;
            all.to = all.to > one.to ? all.to : one.to;
        }
    }
    return all;
}

void sim_note_pointers(const void *copied, size_t bytes) {
    const struct sim_section all = all_variables();
    const uintptr_t from = (uintptr_t)all.from, span = (uintptr_t)all.to - from;
    const void *pointer;
    if (span == 0 || known_count > MAX_KNOWN) {
        return;
    }
    for (size_t i = 0; i + sizeof pointer <= bytes; i += sizeof pointer) {
        memcpy(&pointer, (const char *)copied + i, sizeof pointer);
        if ((uintptr_t)pointer - from < span && sim_is_host_name(pointer)) {
            sim_note_address(pointer, (size_t)(sim_variables_end(pointer) - (const char *)pointer));
        }
    }
}

/* The last page of the section, which begins with a page, too: no other variable shares its pages.
 * The library comes last when a program is linked. */
__attribute__((aligned(SIM_PAGE), used,
               section(SIM_CONSTANT_SECTION))) char sim_constants_end[SIM_PAGE];

void sim_protect_constants(bool from_writes) {
    const struct sim_section all = sim_section(SIM_CONSTANTS);
    if (all.from < all.to) {
        mprotect(all.from, (size_t)(all.to - all.from),
                 from_writes ? PROT_READ : PROT_READ | PROT_WRITE);
    }
}

/* The bytes of the __constant__ variables that are registered: those outside of classes. */
static size_t constant_bytes(void) {
    size_t bytes = 0;
    for (const struct sim_variable *v = sim_variables(); v; v = v->next) {
        bytes += sim_is_constant(v->address) ? v->bytes : 0;
    }
    return bytes;
}

/* nvcc refuses a program whose constants do not fit. Here only the linked program shows their
 * size. */
__attribute__((constructor)) static void check_constants(void) {
    if (constant_bytes() > SIM_CONSTANT_BYTES) {
        sim_report(&(struct sim_finding){.found = FOUND_TOO_MUCH_CONSTANT,
                                         .bytes = constant_bytes(),
                                         .limit = (long long)SIM_CONSTANT_BYTES});
        _Exit(EXIT_FAILURE);
    }
}
