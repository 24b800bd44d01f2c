#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* read() and write() transfer at most 0x7ffff000 bytes at once. */
#define MOST_AT_ONCE ((size_t)1 << 30)

static int fail(char *error, size_t size, const char *path, const char *why) {
    snprintf(error, size, "%s: %s", path, why);
    return -1;
}

/* Fills `data`. Returns 0, or -1 with errno set; a file that ends early sets errno to 0. */
static int read_fully(int fd, unsigned char *data, size_t bytes) {
    while (bytes > 0) {
        ssize_t n = read(fd, data, bytes < MOST_AT_ONCE ? bytes : MOST_AT_ONCE);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            errno = n < 0 ? errno : 0;
            return -1;
        }
        data += n;
        bytes -= (size_t)n;
    }
    return 0;
}

static int write_fully(int fd, const unsigned char *data, size_t bytes) {
    while (bytes > 0) {
        ssize_t n = write(fd, data, bytes < MOST_AT_ONCE ? bytes : MOST_AT_ONCE);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        data += n;
        bytes -= (size_t)n;
    }
    return 0;
}

int file_read(const char *path, size_t most, unsigned char **data, size_t *bytes, char *error,
              size_t size) {
    *data = NULL;
    *bytes = 0;
    /* O_NONBLOCK: opening a pipe must not wait for its writer. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return fail(error, size, path, strerror(errno));
    struct stat st;
    const char *why = NULL;
    if (fstat(fd, &st) != 0)
        why = strerror(errno);
    else if (!S_ISREG(st.st_mode))
        why = "not a regular file";
    else if ((unsigned long long)st.st_size > most)
        why = "too large";
    if (why) {
        close(fd);
        return fail(error, size, path, why);
    }
    size_t length = (size_t)st.st_size;
    unsigned char *buffer = malloc(length + 1);
    if (!buffer) {
        why = "not enough memory to read it";
    } else if (read_fully(fd, buffer, length) != 0) {
        why = errno ? strerror(errno) : "it became shorter while it was read";
        free(buffer);
    }
    close(fd);
    if (why)
        return fail(error, size, path, why);
    *data = buffer;
    *bytes = length;
    return 0;
}

int file_write(const char *path, const void *head, size_t head_bytes, const void *data,
               size_t data_bytes, char *error, size_t size) {
    int fd = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0644);
    if (fd < 0)
        return fail(error, size, path,
                    errno == ELOOP ? "it is a link; links are not followed" : strerror(errno));
    struct stat st;
    const char *why = NULL;
    /* Truncated only once it is known to be a plain file. */
    if (fstat(fd, &st) != 0)
        why = strerror(errno);
    else if (!S_ISREG(st.st_mode))
        why = "not a regular file";
    else if (ftruncate(fd, 0) != 0 || write_fully(fd, head, head_bytes) != 0 ||
             write_fully(fd, data, data_bytes) != 0)
        why = strerror(errno);
    if (close(fd) != 0 && !why)
        why = strerror(errno);
    return why ? fail(error, size, path, why) : 0;
}
