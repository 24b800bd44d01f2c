/* Reads and writes whole files in folders that may be hostile: it follows no link, and reports a
 * short write. */
#pragma once

#include <stddef.h>

/* Reads a regular file of at most `most` bytes. *data is *bytes long; the caller frees it.
 * Returns 0, or -1 with a one-line reason in `error` (`size` bytes, always terminated). */
int file_read(const char *path, size_t most, unsigned char **data, size_t *bytes, char *error,
              size_t size);

/* Writes `head`, then `data`, to `path`, replacing a regular file; a link or a pipe of that name
 * is refused. Returns 0, or -1 with a reason in `error`; the file may then be incomplete. */
int file_write(const char *path, const void *head, size_t head_bytes, const void *data,
               size_t data_bytes, char *error, size_t size);
