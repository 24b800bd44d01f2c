#include "base/code.h"

extern const char __executable_start[], etext[];
/* In memory: in a shared object, not every linker can put the address into an instruction. */
static const char *const volatile end_of_code = etext;

bool sim_is_code(const void *address) {
    return (const char *)address >= __executable_start && (const char *)address < end_of_code;
}
