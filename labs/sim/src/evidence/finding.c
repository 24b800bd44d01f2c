#include "evidence/finding.h"

#include "evidence/evidence.h"

#include <link.h>
#include <stdio.h>

#define WORDS(name, kind, which) [name] = {kind, which},
const struct finding_words finding_words[] = {[FOUND_NOTHING] = {"", ""}, FINDINGS(WORDS)};

uintptr_t finding_address(const void *pc) {
    return (uintptr_t)pc - (_r_debug.r_map ? _r_debug.r_map->l_addr : 0);
}

void finding_write(enum finding_kind found, const void *pc) {
    const struct finding_words *words = &finding_words[found];
    char line[256];
    const int length = snprintf(line, sizeof line, "{\"kind\":\"%s\",\"case\":\"%s\",\"pc\":%ju}\n",
                                words->kind, words->which, pc ? (uintmax_t)finding_address(pc) : 0);
    evidence_write(EVIDENCE_FINDING, line, (size_t)length);
}
