#include "calls/call_targets.h"

#include "evidence/evidence.h"
#include "evidence/finding.h"
#include "evidence/our_fault.h"

#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MOST_CODE = 256, PAGE = 4096 };

/* Where the program and its libraries have code. Past MOST_CODE nothing more is noted: what lies
 * there may not be called. */
struct code_range {
    uintptr_t from, to;
};
static struct code_range code[MOST_CODE];
static size_t code_count;

/* The pages of all that decides are made read-only. */
uintptr_t call_targets_known[KNOWN_TARGETS] __attribute__((aligned(PAGE)));
static union {
    struct {
        uintptr_t *targets; /* in order, of pages of their own; NULL: every target is permitted */
        size_t count;
        struct code_range cxx_library;
        void (*calls_cxx_library)(const void *pc); /* NULL: nobody asked */
    } is;
    char page[PAGE];
} permitted __attribute__((aligned(PAGE)));

/* Of the section that the build makes; a program without a submission's objects has none. */
extern const uintptr_t __start_sim_call_targets[] __attribute__((weak)),
    __stop_sim_call_targets[] __attribute__((weak));

/* ---------------------------------------------------------------- what is permitted */

/* Counts, as long as there is no room. */
static void add(uintptr_t target) {
    if (permitted.is.targets) {
        permitted.is.targets[permitted.is.count] = target;
    }
    permitted.is.count++;
}

static int add_code(struct dl_phdr_info *info, size_t size, void *context) {
    (void)size, (void)context;
    for (unsigned i = 0; i < info->dlpi_phnum && code_count < MOST_CODE; i++) {
        const ElfW(Phdr) *h = &info->dlpi_phdr[i];
        if (h->p_type == PT_LOAD && h->p_flags & PF_X) {
            code[code_count].from = info->dlpi_addr + h->p_vaddr;
            code[code_count].to = code[code_count].from + h->p_memsz;
            if (strstr(info->dlpi_name, "libstdc++")) {
                permitted.is.cxx_library = code[code_count];
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
static void add_virtual(ElfW(Addr) base, const ElfW(Dyn) *d) {
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
        const uintptr_t *table = (const uintptr_t *)(base + s->st_value);
        for (size_t k = 0; k < s->st_size / sizeof *table; k++) {
            if (is_in_code(table[k])) {
                add(table[k]);
            }
        }
    }
}

static int add_library(struct dl_phdr_info *info, size_t size, void *context) {
    (void)size, (void)context;
    for (unsigned i = 0; strstr(info->dlpi_name, "libstdc++") && i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *h = &info->dlpi_phdr[i];
        if (h->p_type == PT_DYNAMIC) {
            add_virtual(info->dlpi_addr, (const ElfW(Dyn) *)(info->dlpi_addr + h->p_vaddr));
        }
    }
    return 0;
}

static void add_all(void) {
    permitted.is.count = 0;
    for (const uintptr_t *t = __start_sim_call_targets; t < __stop_sim_call_targets; t++) {
        if (is_in_code(*t)) { /* the list has data, too, whose address the code takes */
            add(*t);
        }
    }
    if (permitted.is.count > 0) {
        dl_iterate_phdr(add_library, NULL);
    }
}

static int by_value(const void *a, const void *b) {
    const uintptr_t x = *(const uintptr_t *)a, y = *(const uintptr_t *)b;
    return (x > y) - (x < y);
}

static void know(uintptr_t target) {
    uintptr_t *known = &call_targets_known[target / 16 % KNOWN_TARGETS];
    const struct code_range *outside = &permitted.is.cxx_library;
    if (*known == 0 && target - outside->from >= outside->to - outside->from) {
        *known = target;
    }
}

void call_targets_watch_cxx_library(void (*calls)(const void *pc)) {
    permitted.is.calls_cxx_library = calls;
}

/* Before the submission's code runs: evidence.c's other constructors are around it. */
__attribute__((constructor(104))) static void begin(void) {
    if (!evidence_is_open()) {
        return;
    }
    dl_iterate_phdr(add_code, NULL);
    add_all();
    const size_t count = permitted.is.count, bytes = (count * sizeof(uintptr_t) | (PAGE - 1)) + 1;
    if (count == 0) {
        return; /* nothing in the program goes through indirect_calls.S */
    }
    void *room = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED) {
        our_fault("not enough memory to list the functions that the program may call");
    }
    permitted.is.targets = room;
    add_all();
    for (size_t i = 0; i < count; i++) { /* the program's own come first */
        know(permitted.is.targets[i]);
    }
    qsort(permitted.is.targets, count, sizeof(uintptr_t), by_value);
    if (mprotect(room, bytes, PROT_READ) != 0 ||
        mprotect(call_targets_known, sizeof call_targets_known, PROT_READ) != 0 ||
        mprotect(&permitted, sizeof permitted, PROT_READ) != 0) {
        our_fault("a page of memory cannot be protected");
    }
}

/* ---------------------------------------------------------------- one call */

/* No vector register may change from here on: indirect_calls.S keeps none. */
#if defined(__x86_64__)
#define GENERAL_REGISTERS __attribute__((target("general-regs-only")))
#else
#define GENERAL_REGISTERS
#endif

GENERAL_REGISTERS bool call_target_permitted(uintptr_t target) {
    size_t from = 0, to = permitted.is.count;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        if (permitted.is.targets[middle] < target) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return target == 0 || permitted.is.targets == NULL ||
           (from < permitted.is.count && permitted.is.targets[from] == target);
}

__attribute__((noreturn, noinline, cold)) static void end(const void *pc) {
    finding_write(FOUND_FOREIGN_POINTER, (const char *)pc - 1);
    _exit(CALL_TARGETS_STATUS);
}

GENERAL_REGISTERS void call_target_judge(uintptr_t target, const void *pc) {
    const struct code_range *outside = &permitted.is.cxx_library;
    if (!call_target_permitted(target)) {
        end(pc);
    }
    if (permitted.is.calls_cxx_library && target - outside->from < outside->to - outside->from) {
        permitted.is.calls_cxx_library(pc);
    }
}
