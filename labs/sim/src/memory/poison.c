#include "memory/poison.h"

#include "base/device.h"

#include <elf.h>
#include <fcntl.h>
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
    off_t from; /* where the poison begins in it */
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

/* A sandbox allows no such files. Then large allocations show the pages of the program's file. */
static struct file program = {.bytes = (size_t)64 << 10, .most = (size_t)1 << 29, .descriptor = -1};
enum { LEAST_SHOWN = 1 << 20 }; /* a smaller one is faster filled */

extern const char __ehdr_start[];
extern const unsigned char sim_poison_pages[];

static bool holds_poison(int descriptor, off_t from, size_t bytes) {
    unsigned char page[4096];
    for (size_t done = 0; done < bytes; done += sizeof page) {
        if (pread(descriptor, page, sizeof page, from + (off_t)done) != sizeof page ||
            page[0] != SIM_POISON || memcmp(page, page + 1, sizeof page - 1) != 0) {
            return false;
        }
    }
    return true;
}

static bool open_program(struct file *f) {
    const Elf64_Ehdr *head = (const Elf64_Ehdr *)(const void *)__ehdr_start;
    const Elf64_Phdr *part = (const Elf64_Phdr *)(const void *)(__ehdr_start + head->e_phoff);
    const size_t at = (size_t)((const char *)sim_poison_pages - __ehdr_start);
    for (int i = 0; i < head->e_phnum; i++) {
        if (part[i].p_type == PT_LOAD && at - part[i].p_vaddr < part[i].p_filesz) {
            f->from = (off_t)(at - part[i].p_vaddr + part[i].p_offset);
        }
    }
    struct stat status;
    int descriptor = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    if (descriptor < 0 || fstat(descriptor, &status) != 0 || f->from % 4096 != 0 ||
        !holds_poison(descriptor, f->from, f->bytes)) {
        if (descriptor >= 0) {
            close(descriptor);
        }
        return false;
    }
    f->descriptor = descriptor;
    f->device = status.st_dev;
    f->number = status.st_ino;
    return true;
}

/* The same with memory of its own, where that cannot be either. */
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
        f = &program;
        if (bytes < LEAST_SHOWN || bytes > f->most || (!is_open(f) && !open_program(f))) {
            return fill(from, bytes, protection);
        }
    }
    for (size_t done = 0; done < bytes; done += f->bytes) {
        size_t count = bytes - done < f->bytes ? bytes - done : f->bytes;
        if (mmap(from + done, count, protection, MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE,
                 f->descriptor, f->from) == MAP_FAILED) {
            return false;
        }
    }
    return true;
}
