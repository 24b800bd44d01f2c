#include "memory/poison.h"

#include "base/device.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* Files without a name, full of poison. A larger file costs memory, and a small one many mappings,
 * of which Linux allows a process 65,530: 16 of them for an allocation of 1 MB, 512 for one of
 * 1 GB, 4500 for all of the device's memory. */
static struct file {
    size_t bytes, most; /* its size, and the largest allocation that it is for */
    int descriptor;
    dev_t device; /* and the number of the file: the program may close descriptors */
    ino_t number;
} files[] = {
    {.bytes = (size_t)64 << 10, .most = (size_t)1 << 20, .descriptor = -1},
    {.bytes = (size_t)2 << 20, .most = (size_t)1 << 30, .descriptor = -1},
    {.bytes = (size_t)32 << 20, .most = SIZE_MAX, .descriptor = -1},
};

static bool is_open(const struct file *f) {
    struct stat status;
    return f->descriptor >= 0 && fstat(f->descriptor, &status) == 0 && status.st_dev == f->device &&
           status.st_ino == f->number;
}

/* Fills a new file with poison. The limit on file sizes holds for it as well, by a signal. */
static bool create(struct file *f) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < f->bytes) {
        return false;
    }
    int descriptor = memfd_create("poison", MFD_CLOEXEC);
    struct stat status;
    void *content = MAP_FAILED;
    if (descriptor >= 0 && ftruncate(descriptor, (off_t)f->bytes) == 0 &&
        fstat(descriptor, &status) == 0) {
        content = mmap(NULL, f->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    }
    if (content == MAP_FAILED) {
        if (descriptor >= 0) {
            close(descriptor);
        }
        return false;
    }
    memset(content, SIM_POISON, f->bytes);
    munmap(content, f->bytes);
    f->descriptor = descriptor;
    f->device = status.st_dev;
    f->number = status.st_ino;
    return true;
}

/* The same with memory of its own, where the system has no such files. */
static bool fill(char *from, size_t bytes, int protection) {
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
    if (mmap(from, bytes, PROT_READ | PROT_WRITE, flags, -1, 0) == MAP_FAILED) {
        return false;
    }
    memset(from, SIM_POISON, bytes);
    return mprotect(from, bytes, protection) == 0;
}

bool poison_map(char *from, size_t bytes, int protection) {
    struct file *f = files;
    while (bytes > f->most) {
        f++;
    }
    if (!is_open(f) && !create(f)) {
        return fill(from, bytes, protection);
    }
    for (size_t done = 0; done < bytes; done += f->bytes) {
        size_t count = bytes - done < f->bytes ? bytes - done : f->bytes;
        if (mmap(from + done, count, protection, MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE,
                 f->descriptor, 0) == MAP_FAILED) {
            return false;
        }
    }
    return true;
}
