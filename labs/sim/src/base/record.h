/* Where the runtime's lines of JSON go: to the evidence of a graded run (evidence/evidence.h), or
 * to a file that the user has named. */
#pragma once

#include "evidence/evidence.h"

#include <stdbool.h>
#include <stddef.h>

/* One kind of line. is_lost: a line could not be written, and so none will follow: the file is
 * removed, because it would look complete. */
struct sim_record {
    enum evidence_kind kind;
    bool is_lost;
};

/* Writes a line, newline included. path: the file of a run that is not graded; NULL: there is none.
 * One write() for the whole line, so that lines of other threads and processes do not mix with it.
 * Returns whether it is written. May be called from a signal handler. */
bool sim_record(struct sim_record *record, const char *path, const char *line, size_t length);
