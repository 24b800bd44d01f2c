#include "trace/confinement.h"

#include "base/findings.h"
#include "base/own_heap.h"
#include "evidence/evidence.h"
#include "exec/thread.h"

#include <link.h>
#include <pthread.h>
#include <unistd.h>

enum { MOST_LIBRARIES = 32, STATUS = 3, ARGUMENTS = 80 };

struct confined_range confined[CONFINED_MEMORY];
struct confined_range confined_libraries, confined_callers;
bool is_confined;

static struct confined_range library[MOST_LIBRARIES];
static int library_count;

/* Of the sections that labs/runtime/course.ld makes; a program that is linked without it has none.
 */
extern const char __start_sim_course[] __attribute__((weak)),
    __stop_sim_course[] __attribute__((weak)), __start_sim_course_zero[] __attribute__((weak)),
    __stop_sim_course_zero[] __attribute__((weak));

static void set(enum confined_memory which, const void *from, const void *to) {
    confined[which] = (struct confined_range){(uintptr_t)from, (uintptr_t)to - (uintptr_t)from};
}

/* The variables of a library. The program itself comes first, and has no name. */
static int add_library(struct dl_phdr_info *info, size_t size, void *context) {
    (void)size, (void)context;
    for (int i = 0; info->dlpi_name[0] && i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *h = &info->dlpi_phdr[i];
        if (h->p_type == PT_LOAD && h->p_flags & PF_W && library_count < MOST_LIBRARIES) {
            library[library_count++] =
                (struct confined_range){info->dlpi_addr + h->p_vaddr, h->p_memsz};
        }
    }
    return 0;
}

static void find_libraries(void) {
    uintptr_t from = UINTPTR_MAX, to = 0;
    dl_iterate_phdr(add_library, NULL);
    for (int i = 0; i < library_count; i++) {
        const uintptr_t end = library[i].from + library[i].bytes;
        from = library[i].from < from ? library[i].from : from;
        to = end > to ? end : to;
    }
    if (library_count > 0) {
        confined_libraries = (struct confined_range){from, to - from};
    }
}

/* The runtime's thread-local variables of this thread lie between the mark and the thread pointer,
 * below which the linker puts them. */
void confinement_begin(const char *tls_mark) {
    if (!evidence_is_open() || !sim_options.check) {
        return;
    }
    is_confined = true;
    const char *heap;
    const size_t heap_bytes = own_heap_range(&heap);
    set(CONFINED_HEAP, heap, heap + heap_bytes);
    set(CONFINED_VARIABLES, __start_sim_course, __stop_sim_course);
    set(CONFINED_ZEROED, __start_sim_course_zero, __stop_sim_course_zero);
#if defined(__x86_64__)
    set(CONFINED_THREAD_LOCAL, tls_mark, __builtin_thread_pointer());
#else
    (void)tls_mark;
#endif
    find_libraries();
}

void confinement_turn(const void *frame) {
    pthread_attr_t attributes;
    void *lowest;
    size_t bytes;
    confined_callers.bytes = 0;
    if (!is_confined || frame == NULL || pthread_getattr_np(pthread_self(), &attributes) != 0) {
        return;
    }
    if (pthread_attr_getstack(&attributes, &lowest, &bytes) == 0) {
        const uintptr_t from = (uintptr_t)frame + ARGUMENTS;
        confined_callers = (struct confined_range){from, (uintptr_t)lowest + bytes - from};
    }
    pthread_attr_destroy(&attributes);
}

static bool is_in(struct confined_range range, uintptr_t address, size_t bytes) {
    return range.bytes > 0 && address < range.from + range.bytes && address + bytes > range.from;
}

static bool is_foreign(uintptr_t address, size_t bytes, bool store) {
    bool is_inside = store && is_in(confined_callers, address, bytes);
    for (int i = 0; i < CONFINED_MEMORY; i++) {
        is_inside |= is_in(confined[i], address, bytes);
    }
    for (int i = 0; store && i < library_count; i++) {
        is_inside |= is_in(library[i], address, bytes);
    }
    return is_inside;
}

__attribute__((noreturn)) static void end(struct sim_finding finding, size_t bytes, bool store) {
    finding.found = FOUND_FOREIGN_MEMORY;
    finding.verb = store ? "write" : "read";
    finding.bytes = bytes;
    sim_report(&finding);
    _exit(STATUS);
}

void confinement_judge(uintptr_t address, size_t bytes, bool store, const void *pc) {
    if (is_foreign(address, bytes, store)) {
        end((struct sim_finding){.pc = (const char *)pc - 1}, bytes, store);
    }
}

void confine_host(const void *at, size_t bytes, bool store, const void *pc) {
    const bool in_kernel = sim_worker != NULL && sim_worker->block.config != NULL;
    if (!in_kernel && bytes > 0) {
        confine(at, bytes, store, pc);
    }
}

void confine_kernel(const void *at, size_t bytes, bool store, const void *pc) {
    if (store || !is_in(confined[CONFINED_THREAD_LOCAL], (uintptr_t)at, bytes)) {
        confine(at, bytes, store, pc);
    }
}

void confinement_call(const void *at, size_t bytes, bool store, struct sim_location location) {
    if (is_confined && is_foreign((uintptr_t)at, bytes, store)) {
        end((struct sim_finding){.location = location}, bytes, store);
    }
}

void sim_confine(const void *at, size_t bytes, const char *file, int line) {
    confinement_call(at, bytes, true, (struct sim_location){file, line});
}
