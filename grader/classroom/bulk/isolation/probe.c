/* What a hostile program might try. `probe NAME [ARGUMENT]` makes one attempt: exit status 0 means that
 * it succeeded, 1 that it was refused, 99 that there is no such attempt. grader/classroom/bulk/isolation/probe.py
 * runs it in the sandbox of a submission. */

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int reads(const char *path) {
    char byte;
    int fd = open(path, O_RDONLY);
    return fd >= 0 && read(fd, &byte, 1) == 1;
}

static int lists(const char *path) {
    DIR *folder = opendir(path);
    struct dirent *entry;
    int count = 0;
    while (folder && (entry = readdir(folder)))
        count += entry->d_name[0] != '.';
    return count > 0;
}

static int writes(const char *path) {
    int fd = open(path, O_WRONLY | O_CREAT, 0644);
    return fd >= 0 && write(fd, "x", 1) == 1;
}

static int links(const char *path) {
    return symlink("/etc/passwd", path) == 0;
}

static int removes(const char *path) {
    return unlink(path) == 0;
}

static int makes_fifo(const char *path) {
    return mkfifo(path, 0644) == 0;
}

static int makes_device(const char *path) {
    return mknod(path, S_IFBLK | 0600, makedev(8, 0)) == 0;
}

/* Writes 1 GB in 64 files: succeeds where nothing limits it. The sandbox's folders go with it. */
static int fills(const char *folder) {
    static const char block[1 << 16];
    char path[4096];
    int files = 0, full = 0;
    long written = 0;
    for (; files < 64 && !full; files++) {
        snprintf(path, sizeof path, "%s/fill%d", folder, files);
        int fd = open(path, O_WRONLY | O_CREAT, 0644);
        for (int i = 0; i < 256 && !full; i++)
            full = fd < 0 || write(fd, block, sizeof block) != (ssize_t)sizeof block;
        written += full ? 0 : 256L * (long)sizeof block;
        if (fd >= 0)
            close(fd);
    }
    return !full;
}

static int connects(const char *port) {
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port))};
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    return fd >= 0 && connect(fd, (struct sockaddr *)&to, sizeof to) == 0;
}

static int sends(const char *address) {
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(53)};
    inet_pton(AF_INET, address, &to.sin_addr);
    int fd = socket(AF_INET, SOCK_DGRAM, 0);
    return fd >= 0 && sendto(fd, "x", 1, 0, (struct sockaddr *)&to, sizeof to) == 1;
}

static int connects_abstract(const char *name) {
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    size_t n = strlen(name);
    memcpy(to.sun_path + 1, name, n);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + n);
    return fd >= 0 && connect(fd, (struct sockaddr *)&to, size) == 0;
}

static int connects_file(const char *path) {
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    snprintf(to.sun_path, sizeof to.sun_path, "%s", path);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    return fd >= 0 && connect(fd, (struct sockaddr *)&to, sizeof to) == 0;
}

/* Whether a variable is in the environment of this program or of process 1, as it sees it. */
static int finds_variable(const char *name) {
    static char text[1 << 16];
    int fd = open("/proc/1/environ", O_RDONLY);
    ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text);
    return getenv(name) || (n > 0 && memmem(text, (size_t)n, name, strlen(name)));
}

static int has_descriptor(const char *unused) {
    (void)unused;
    for (int fd = 3; fd < 1024; fd++)
        if (fcntl(fd, F_GETFD) >= 0)
            return 1;
    return 0;
}

static int sees_process(const char *pid) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%s/stat", pid);
    return access(path, F_OK) == 0;
}

static int signals(const char *pid) {
    return kill(atoi(pid), 0) == 0;
}

static int reads_limits(const char *pid) {
    struct rlimit limit;
    return prlimit(atoi(pid), RLIMIT_NOFILE, NULL, &limit) == 0;
}

/* Asks to be traced, as under a debugger: a traced program can hang a launcher that waits for it. */
static int traces(const char *unused) {
    (void)unused;
    return ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0;
}

static int writes_memory(const char *unused) {
    (void)unused;
    return writes("/proc/1/mem");
}

static int unshares(const char *unused) {
    (void)unused;
    return unshare(CLONE_NEWUSER) == 0;
}

static int clones_user(const char *unused) {
    (void)unused;
    long child = syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0);
    if (child == 0)
        _exit(0);
    return child > 0;
}

static int mounts(const char *folder) {
    return mount("none", folder, "tmpfs", 0, NULL) == 0;
}

static int becomes_root(const char *unused) {
    (void)unused;
    return setuid(0) == 0;
}

static int calls(const char *number) {
    return syscall(atol(number), 0, 0, 0, 0, 0) >= 0 || (errno != EPERM && errno != ENOSYS);
}

static int shares_memory(const char *unused) {
    (void)unused;
    return shmget(IPC_PRIVATE, 1 << 20, IPC_CREAT | 0600) >= 0;
}

static int changes_mode(const char *path) {
    return chmod(path, 0666) == 0;
}

/* A queue outlives the program where it has no IPC namespace of its own. */
static int opens_queue(const char *name) {
    return mq_open(name, O_RDWR | O_CREAT, 0600, NULL) != (mqd_t)-1;
}

static int sets_clock(const char *unused) {
    (void)unused;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return clock_settime(CLOCK_REALTIME, &now) == 0;
}

/* ---------------------------------------------------------------- what must work */

static void *nothing(void *argument) {
    return argument;
}

static int starts_threads(const char *count) {
    pthread_t thread;
    for (int i = atoi(count); i > 0; i--)
        if (pthread_create(&thread, NULL, nothing, NULL) != 0 || pthread_join(thread, NULL) != 0)
            return 0;
    return 1;
}

static int prints(const char *text) {
    return puts(text) >= 0;
}

static int crashes(const char *unused) {
    (void)unused;
    return raise(SIGSEGV);
}

/* ---------------------------------------------------------------- what must be stopped */

static int forks(const char *unused) {
    (void)unused;
    while (fork() >= 0 || pause())
        ;
    return 1;
}

static int sleeps(const char *unused) {
    (void)unused;
    signal(SIGTERM, SIG_IGN);
    while (pause())
        ;
    return 1;
}

static int uses_memory(const char *unused) {
    (void)unused;
    char *block;
    while ((block = malloc(1 << 20)))
        memset(block, 1, 1 << 20);
    return sleeps("");
}

static int detaches(const char *unused) {
    if (fork() == 0) {
        setsid();
        if (fork() == 0)
            sleeps(unused);
        _exit(0);
    }
    return sleeps(unused);
}

static int floods(const char *unused) {
    (void)unused;
    while (puts("PASS 100/100") >= 0)
        ;
    return 1;
}

static const struct {
    const char *name;
    int (*attempt)(const char *argument);
} attempts[] = {
    {"reads", reads},
    {"lists", lists},
    {"writes", writes},
    {"links", links},
    {"removes", removes},
    {"makes-fifo", makes_fifo},
    {"makes-device", makes_device},
    {"fills", fills},
    {"connects", connects},
    {"sends", sends},
    {"connects-abstract", connects_abstract},
    {"connects-file", connects_file},
    {"finds-variable", finds_variable},
    {"has-descriptor", has_descriptor},
    {"sees-process", sees_process},
    {"signals", signals},
    {"reads-limits", reads_limits},
    {"traces", traces},
    {"writes-memory", writes_memory},
    {"unshares", unshares},
    {"clones-user", clones_user},
    {"mounts", mounts},
    {"becomes-root", becomes_root},
    {"calls", calls},
    {"shares-memory", shares_memory},
    {"changes-mode", changes_mode},
    {"opens-queue", opens_queue},
    {"sets-clock", sets_clock},
    {"starts-threads", starts_threads},
    {"prints", prints},
    {"crashes", crashes},
    {"forks", forks},
    {"uses-memory", uses_memory},
    {"sleeps", sleeps},
    {"detaches", detaches},
    {"floods", floods},
};

int main(int argc, char **argv) {
    for (size_t i = 0; argc > 1 && i < sizeof attempts / sizeof *attempts; i++)
        if (strcmp(argv[1], attempts[i].name) == 0)
            return attempts[i].attempt(argc > 2 ? argv[2] : "") ? 0 : 1;
    return 99;
}
