#include "trace/call_targets.h"

#include "base/own_heap.h"
#include "exec/thread.h"

#include <elf.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STATUS = 3, MOST_CODE = 256 };

uintptr_t sim_recent_targets[RECENT_TARGETS];

/* Of the section that labs/runtime/course.ld makes; a program that is linked without it has none.
 */
extern const uintptr_t __start_sim_call_targets[] __attribute__((weak)),
    __stop_sim_call_targets[] __attribute__((weak));

static uintptr_t *permitted; /* in order; NULL: every target is */
static size_t count, room;
static bool is_complete = true;

static void add(uintptr_t target) {
    if (count == room) {
        const size_t more = room ? 2 * room : 4096;
        uintptr_t *larger = own_realloc(permitted, more * sizeof *larger);
        if (larger == NULL) {
            is_complete = false;
            return;
        }
        permitted = larger;
        room = more;
    }
    permitted[count++] = target;
}

struct library {
    ElfW(Addr) base;
    const ElfW(Phdr) *headers;
    unsigned header_count;
};

/* Where the program and its libraries have code. Past MOST_CODE nothing more is noted: what lies
 * there may not be called. */
struct code_range {
    uintptr_t from, to;
};
static struct code_range code[MOST_CODE], cxx_library;
static size_t code_count;

static int add_code(struct dl_phdr_info *info, size_t size, void *context) {
    (void)size, (void)context;
    for (unsigned i = 0; i < info->dlpi_phnum && code_count < MOST_CODE; i++) {
        const ElfW(Phdr) *h = &info->dlpi_phdr[i];
        if (h->p_type == PT_LOAD && h->p_flags & PF_X) {
            code[code_count].from = info->dlpi_addr + h->p_vaddr;
            code[code_count].to = code[code_count].from + h->p_memsz;
            if (strstr(info->dlpi_name, "libstdc++")) {
                cxx_library = code[code_count];
            }
            code_count++;
        }
    }
    return 0;
}

static bool is_in_code(uintptr_t address) {
    for (size_t i = 0; i < code_count; i++) {
        if (address >= code[i].from && address < code[i].to) {
            return true;
        }
    }
    return false;
}

/* How many symbols a table has by which the loader looks them up (DT_GNU_HASH). */
static size_t symbol_count(const uint32_t *hash) {
    const uint32_t buckets = hash[0], first = hash[1], words = hash[2];
    const uint32_t *bucket = hash + 4 + words * (sizeof(ElfW(Addr)) / sizeof *hash);
    const uint32_t *chain = bucket + buckets;
    uint32_t last = 0;
    for (uint32_t i = 0; i < buckets; i++) {
        last = bucket[i] > last ? bucket[i] : last;
    }
    while (last >= first && last > 0 && !(chain[last - first] & 1)) {
        last++;
    }
    return last ? last + 1 : 0;
}

/* The functions that the virtual tables of a library name. */
static void add_virtual(const struct library *l, const ElfW(Dyn) *d) {
    const ElfW(Sym) *symbols = NULL;
    const char *names = NULL;
    const uint32_t *hash = NULL;
    for (; d->d_tag != DT_NULL; d++) {
        const void *at = (const void *)d->d_un.d_ptr;
        symbols = d->d_tag == DT_SYMTAB ? at : symbols;
        names = d->d_tag == DT_STRTAB ? at : names;
        hash = d->d_tag == DT_GNU_HASH ? at : hash;
    }
    const size_t symbols_count = symbols && names && hash ? symbol_count(hash) : 0;
    for (size_t i = 0; i < symbols_count; i++) {
        const ElfW(Sym) *s = &symbols[i];
        if (s->st_shndx == SHN_UNDEF || ELF64_ST_TYPE(s->st_info) != STT_OBJECT ||
            strncmp(names + s->st_name, "_ZTV", 4) != 0) {
            continue;
        }
        const uintptr_t *table = (const uintptr_t *)(l->base + s->st_value);
        for (size_t k = 0; k < s->st_size / sizeof *table; k++) {
            if (is_in_code(table[k])) {
                add(table[k]);
            }
        }
    }
}

static int add_library(struct dl_phdr_info *info, size_t size, void *context) {
    (void)size, (void)context;
    const struct library l = {info->dlpi_addr, info->dlpi_phdr, info->dlpi_phnum};
    for (unsigned i = 0; strstr(info->dlpi_name, "libstdc++") && i < l.header_count; i++) {
        if (l.headers[i].p_type == PT_DYNAMIC) {
            add_virtual(&l, (const ElfW(Dyn) *)(l.base + l.headers[i].p_vaddr));
        }
    }
    return 0;
}

static int by_value(const void *a, const void *b) {
    const uintptr_t x = *(const uintptr_t *)a, y = *(const uintptr_t *)b;
    return (x > y) - (x < y);
}

void call_targets_begin(void) {
    dl_iterate_phdr(add_code, NULL);
    for (const uintptr_t *t = __start_sim_call_targets; t < __stop_sim_call_targets; t++) {
        if (is_in_code(*t)) { /* the list has data, too, whose address the code takes */
            add(*t);
        }
    }
    if (count == 0) {
        return; /* nothing in the program goes through indirect_calls.S */
    }
    dl_iterate_phdr(add_library, NULL);
    qsort(permitted, count, sizeof *permitted, by_value);
    if (!is_complete) {
        sim_report(&(struct sim_finding){.kind = "out-of-memory"},
                   "not enough memory to list the functions that the program may call");
        _exit(STATUS);
    }
}

/* No vector register may change from here on: indirect_calls.S keeps none. */
#if defined(__x86_64__)
#define GENERAL_REGISTERS __attribute__((target("general-regs-only")))
#else
#define GENERAL_REGISTERS
#endif

GENERAL_REGISTERS static bool is_permitted(uintptr_t target) {
    size_t from = 0, to = count;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        if (permitted[middle] < target) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return permitted == NULL || (from < count && permitted[from] == target);
}

static const char WHY[] =
    "this call through a pointer reaches an address that is neither a function "
    "of yours nor one that your code names: set the pointer to a function, "
    "and check what overwrites it";

__attribute__((noreturn, noinline, cold)) static void end(const struct sim_finding *finding) {
    sim_report(finding, "%s", WHY);
    _exit(STATUS);
}

__attribute__((noinline, cold)) void call_target_outside(bool in_kernel, const void *pc) {
    if (in_kernel) {
        sim_report(&(struct sim_finding){.kind = "foreign-call", .pc = (const char *)pc - 1},
                   "a kernel calls a function of the host's libraries, which nvcc refuses: use a "
                   "function of CUDA, or write it with __device__");
        _exit(STATUS);
    }
}

GENERAL_REGISTERS void sim_judge_target(uintptr_t target, const void *pc) {
    if (target != 0 && !is_permitted(target)) {
        end(&(struct sim_finding){.kind = "foreign-call", .pc = (const char *)pc - 1});
    }
    if (target - cxx_library.from < cxx_library.to - cxx_library.from) {
        call_target_outside(sim_worker != NULL && sim_worker->block.config != NULL, pc);
        return; /* another call of it may be a kernel's */
    }
    sim_recent_targets[target / 16 % RECENT_TARGETS] = target;
}

void call_target_given(uintptr_t target, const void *pc) {
    if (target != 0 && !is_permitted(target)) {
        end(&(struct sim_finding){.kind = "foreign-call", .pc = (const char *)pc - 1});
    }
}

void call_target_given_at(uintptr_t target, struct sim_location location) {
    if (target != 0 && !is_permitted(target)) {
        end(&(struct sim_finding){.kind = "foreign-call", .location = location});
    }
}
