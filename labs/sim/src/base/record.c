#include "base/record.h"

#include <fcntl.h>
#include <unistd.h>

static bool append(const char *path, const char *line, size_t length) {
    const int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0) {
        return false;
    }
    const bool written = write(file, line, length) == (ssize_t)length;
    close(file);
    if (!written) {
        unlink(path); /* a full disk allows it */
    }
    return written;
}

bool sim_record(struct sim_record *record, const char *path, const char *line, size_t length) {
    if (evidence_is_open()) {
        return evidence_write(record->kind, line, length);
    }
    if (path == NULL || __atomic_load_n(&record->is_lost, __ATOMIC_RELAXED)) {
        return false;
    }
    const bool written = append(path, line, length);
    if (!written) {
        __atomic_store_n(&record->is_lost, true, __ATOMIC_RELAXED);
    }
    return written;
}
