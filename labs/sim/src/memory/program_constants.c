#include "memory/program_constants.h"

#include <link.h>

enum { MOST_PARTS = 16 };

static struct {
    struct sim_section part[MOST_PARTS];
    unsigned count;
} constants;

/* Notes the read-only parts of the first object, which is the program. */
static int note_program(struct dl_phdr_info *info, size_t size, void *context) {
    (void)size;
    (void)context;
    for (int i = 0; i < info->dlpi_phnum && constants.count < MOST_PARTS; i++) {
        const ElfW(Phdr) *h = &info->dlpi_phdr[i];
        char *from = (char *)(uintptr_t)(info->dlpi_addr + h->p_vaddr);
        if ((h->p_type == PT_LOAD && !(h->p_flags & PF_W)) || h->p_type == PT_GNU_RELRO) {
            constants.part[constants.count++] = (struct sim_section){from, from + h->p_memsz};
        }
    }
    return 1;
}

__attribute__((constructor(101))) static void find_constants(void) {
    dl_iterate_phdr(note_program, NULL);
}

struct sim_section sim_program_constants(const char *at) {
    for (unsigned i = 0; i < constants.count; i++) {
        if (at >= constants.part[i].from && at < constants.part[i].to) {
            return constants.part[i];
        }
    }
    return (struct sim_section){NULL, NULL};
}
