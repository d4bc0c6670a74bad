// A preloaded library that makes one call of the C library fail, and counts the calls. It works in the process, so it needs no
// privileges. It does not see the calls that the C library makes itself.
//
// Environment:
//   FAILINGCALLS_COUNTS  the file to which a line "name count" is written for each name at the end of the process
//   FAILINGCALLS_FAIL    name:n:code makes the n-th call of that name fail with this errno, counted from 1
//   FAILINGCALLS_ERRORS  the file that becomes the standard error output
//   FAILINGCALLS_WAIT    if set, the process prints "waiting" before its main function, and reads a line from its standard
//                        input, which is a socket. A tracer that attaches in between does not see the calls of the loader

#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

#define MOST_NAMES 64

static const char *names[MOST_NAMES];
static long counts[MOST_NAMES];
static int name_count = 0;
static int name_lock = 0;
static char fail_name[32];
static long fail_at = 0;
static int fail_code = 0;
static const char *counts_path = NULL;

__attribute__((constructor)) static void start(void) {
    const char *fail = getenv("FAILINGCALLS_FAIL");
    if (fail) sscanf(fail, "%31[^:]:%ld:%d", fail_name, &fail_at, &fail_code);
    counts_path = getenv("FAILINGCALLS_COUNTS");
    unsetenv("LD_PRELOAD");
    const char *errors = getenv("FAILINGCALLS_ERRORS");
    if (errors) {
        int file = (int)syscall(SYS_openat, AT_FDCWD, errors, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        syscall(SYS_dup3, file, 2, 0);
        syscall(SYS_close, file);
    }
    if (!getenv("FAILINGCALLS_WAIT")) return;
    // These system calls are not among those that a test makes fail.
    syscall(SYS_sendto, 1, "waiting\n", 8, 0, NULL, 0);
    char byte = 0;
    while (byte != '\n') {
        struct pollfd input = {0, POLLIN, 0};
        syscall(SYS_ppoll, &input, 1, NULL, NULL, 0);
        if (syscall(SYS_recvfrom, 0, &byte, 1, 0, NULL, NULL) <= 0 && errno != EINTR) break;
    }
}

__attribute__((destructor)) static void finish(void) {
    if (!counts_path) return;
    int file = (int)syscall(SYS_openat, AT_FDCWD, counts_path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    for (int i = 0; i < name_count; i++) dprintf(file, "%s %ld\n", names[i], counts[i]);
}

// Counts a call, and returns the errno with which it has to fail, or 0.
static int failure(const char *name) {
    while (__atomic_exchange_n(&name_lock, 1, __ATOMIC_ACQUIRE)) {}
    int index = 0;
    while (index < name_count && strcmp(names[index], name) != 0) index++;
    if (index == name_count) {
        if (name_count == MOST_NAMES) abort();
        names[name_count++] = name;
    }
    long count = ++counts[index];
    __atomic_store_n(&name_lock, 0, __ATOMIC_RELEASE);
    return count == fail_at && strcmp(name, fail_name) == 0 ? fail_code : 0;
}

static void *next(const char *name) {
    void *found = dlsym(RTLD_NEXT, name);
    if (!found) abort();
    return found;
}

// Defines a function that fails under the given name, and otherwise calls the function of the C library.
#define CALL(type, failed, function, name, parameters, arguments)              \
    type function parameters {                                                 \
        static type(*real) parameters;                                         \
        int code = failure(name);                                              \
        if (code) {                                                            \
            errno = code;                                                      \
            return failed;                                                     \
        }                                                                      \
        if (!real) real = (type(*) parameters)next(#function);                 \
        return real arguments;                                                 \
    }

static mode_t mode_argument(int flags, va_list arguments) {
    return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(arguments, mode_t) : 0;
}

// Dispatch counts the threads that run, from time to time, and ends the process if it cannot. These opens are not counted.
static int is_of_dispatch(const char *path) {
    size_t length = strlen(path);
    return length > 11 && strncmp(path, "/proc/", 6) == 0 && strcmp(path + length - 5, "/stat") == 0;
}

static int open_any(int directory, const char *path, int flags, mode_t mode) {
    int code = is_of_dispatch(path) ? 0 : failure("open");
    if (code) {
        errno = code;
        return -1;
    }
    return (int)syscall(SYS_openat, directory, path, flags, mode);
}

#define OPEN(function, directory, ...)                            \
    int function(__VA_ARGS__ const char *path, int flags, ...) {  \
        va_list arguments;                                        \
        va_start(arguments, flags);                               \
        mode_t mode = mode_argument(flags, arguments);            \
        va_end(arguments);                                        \
        return open_any(directory, path, flags, mode);            \
    }
#define AT int directory,
OPEN(open, AT_FDCWD, )
OPEN(open64, AT_FDCWD, )
OPEN(openat, directory, AT)
OPEN(openat64, directory, AT)

static int control(int descriptor, int command, va_list arguments) {
    int code = failure("fcntl");
    if (code) {
        errno = code;
        return -1;
    }
    return (int)syscall(SYS_fcntl, descriptor, command, va_arg(arguments, void *));
}

#define CONTROL(function)                                      \
    int function(int descriptor, int command, ...) {           \
        va_list arguments;                                     \
        va_start(arguments, command);                          \
        int result = control(descriptor, command, arguments);  \
        va_end(arguments);                                     \
        return result;                                         \
    }
CONTROL(fcntl)
CONTROL(fcntl64)

CALL(ssize_t, -1, read, "read", (int d, void *b, size_t n), (d, b, n))
CALL(ssize_t, -1, pread, "pread", (int d, void *b, size_t n, off_t o), (d, b, n, o))
CALL(ssize_t, -1, pread64, "pread", (int d, void *b, size_t n, off64_t o), (d, b, n, o))
// An event counter always takes a number, so such a write is not counted. Its file has no type.
static int is_event_counter(int descriptor) {
    struct stat status;
    return syscall(SYS_fstat, descriptor, &status) == 0 && (status.st_mode & S_IFMT) == 0;
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
    int code = is_event_counter(descriptor) ? 0 : failure("write");
    if (code) {
        errno = code;
        return -1;
    }
    return syscall(SYS_write, descriptor, bytes, count);
}

CALL(ssize_t, -1, pwrite, "pwrite", (int d, const void *b, size_t n, off_t o), (d, b, n, o))
CALL(ssize_t, -1, pwrite64, "pwrite", (int d, const void *b, size_t n, off64_t o), (d, b, n, o))
CALL(ssize_t, -1, writev, "writev", (int d, const struct iovec *p, int n), (d, p, n))
CALL(ssize_t, -1, pwritev, "pwritev", (int d, const struct iovec *p, int n, off_t o), (d, p, n, o))
CALL(ssize_t, -1, pwritev64, "pwritev", (int d, const struct iovec *p, int n, off64_t o), (d, p, n, o))
CALL(ssize_t, -1, copy_file_range, "copy_file_range",
     (int d, off64_t *i, int e, off64_t *o, size_t n, unsigned f), (d, i, e, o, n, f))
CALL(int, -1, fsync, "fsync", (int d), (d))
CALL(int, -1, fdatasync, "fdatasync", (int d), (d))
CALL(int, -1, msync, "msync", (void *a, size_t n, int f), (a, n, f))
CALL(int, -1, ftruncate, "ftruncate", (int d, off_t n), (d, n))
CALL(int, -1, ftruncate64, "ftruncate", (int d, off64_t n), (d, n))
CALL(int, -1, fallocate, "fallocate", (int d, int m, off_t o, off_t n), (d, m, o, n))
CALL(int, -1, fallocate64, "fallocate", (int d, int m, off64_t o, off64_t n), (d, m, o, n))
CALL(int, code, posix_fallocate, "fallocate", (int d, off_t o, off_t n), (d, o, n))
CALL(int, code, posix_fallocate64, "fallocate", (int d, off64_t o, off64_t n), (d, o, n))
CALL(void *, MAP_FAILED, mmap, "mmap", (void *a, size_t n, int p, int f, int d, off_t o), (a, n, p, f, d, o))
CALL(void *, MAP_FAILED, mmap64, "mmap", (void *a, size_t n, int p, int f, int d, off64_t o), (a, n, p, f, d, o))
CALL(int, -1, flock, "flock", (int d, int o), (d, o))
CALL(off_t, -1, lseek, "lseek", (int d, off_t o, int w), (d, o, w))
CALL(off64_t, -1, lseek64, "lseek", (int d, off64_t o, int w), (d, o, w))
CALL(int, -1, stat, "stat", (const char *p, struct stat *s), (p, s))
CALL(int, -1, lstat, "stat", (const char *p, struct stat *s), (p, s))
CALL(int, -1, fstat, "fstat", (int d, struct stat *s), (d, s))
CALL(int, -1, fstatat, "stat", (int d, const char *p, struct stat *s, int f), (d, p, s, f))
CALL(int, -1, statfs, "statfs", (const char *p, struct statfs *s), (p, s))
CALL(int, -1, fstatfs, "statfs", (int d, struct statfs *s), (d, s))
CALL(int, -1, statvfs, "statfs", (const char *p, struct statvfs *s), (p, s))
CALL(int, -1, fstatvfs, "statfs", (int d, struct statvfs *s), (d, s))
CALL(int, -1, access, "access", (const char *p, int m), (p, m))
CALL(int, -1, chmod, "chmod", (const char *p, mode_t m), (p, m))
CALL(int, -1, fchmod, "chmod", (int d, mode_t m), (d, m))
CALL(int, -1, chown, "chown", (const char *p, uid_t u, gid_t g), (p, u, g))
CALL(int, -1, fchown, "chown", (int d, uid_t u, gid_t g), (d, u, g))
CALL(int, -1, rename, "rename", (const char *f, const char *t), (f, t))
CALL(int, -1, renameat2, "rename", (int d, const char *f, int e, const char *t, unsigned g), (d, f, e, t, g))
CALL(int, -1, link, "link", (const char *f, const char *t), (f, t))
CALL(int, -1, linkat, "link", (int d, const char *f, int e, const char *t, int g), (d, f, e, t, g))
CALL(int, -1, unlink, "unlink", (const char *p), (p))
CALL(int, -1, unlinkat, "unlink", (int d, const char *p, int f), (d, p, f))
CALL(int, -1, mkdir, "mkdir", (const char *p, mode_t m), (p, m))
CALL(char *, NULL, mkdtemp, "mkdir", (char *p), (p))
CALL(int, -1, rmdir, "rmdir", (const char *p), (p))
CALL(DIR *, NULL, opendir, "opendir", (const char *p), (p))
CALL(DIR *, NULL, fdopendir, "opendir", (int d), (d))
CALL(ssize_t, -1, readlink, "readlink", (const char *p, char *b, size_t n), (p, b, n))
CALL(int, -1, epoll_create1, "epoll", (int f), (f))
CALL(int, -1, eventfd, "epoll", (unsigned n, int f), (n, f))
CALL(int, -1, inotify_init1, "inotify", (int f), (f))
CALL(int, -1, inotify_add_watch, "inotify", (int d, const char *p, uint32_t m), (d, p, m))
