/* Linked after the objects of a submission and before the runtime's, in a traced program: the
 * thread-local variables of the one lie below this one, and those of the other above. */
#include <stddef.h>

static _Thread_local char mark;

/* labs/sim/src/trace/confinement.h. */
void confinement_begin(const char *tls_mark);

__attribute__((constructor(104))) static void begin(void) {
    confinement_begin(&mark);
}
