// A preloaded library that logs a program's operations on LMDB's data file, in order. From the log, a test computes the
// possible contents of the disk after a power failure at any moment.
//
// Environment:
//   SYNCLOG_FILE     the file to append the log to; without it nothing is logged
//   SYNCLOG_KILL_AT  kills the process with SIGKILL directly before its n-th write or sync of the data file, counted from 1
//   SYNCLOG_FAIL     n:count makes the n-th to (n + count - 1)-th sync or synchronous write of the data file fail with EIO. The
//                    pages that it had to write count as written from then on, as in the page cache of Linux
//
// Log: records of 32 bytes, each followed by its payload; integers in this machine's byte order.
//   u32 kind     see below
//   u32 flags    see below
//   u64 offset   the offset of a write, the new length of a truncation, or zero
//   u64 length   the number of bytes written or mapped
//   u32 payload  the number of bytes that follow
//   i32 result   the result of the call, truncated to 32 bits
//
// The library holds one lock over each call and its record, so the log has the order of the calls. Between processes that
// share a log, LMDB's own write lock does the same. A call is recorded after it has returned, so a call that a kill
// interrupts is not in the log.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind {
    KIND_OPEN = 1,            // the data file; flags: 1 synchronous descriptor, 2 the call may create it
    KIND_WRITE = 2,           // payload: the bytes; flags: 1 through a synchronous descriptor
    KIND_SYNC = 3,            // flags: 1 fdatasync, 2 fsync, 4 failed
    KIND_TRUNCATE = 4,        // offset: the new length
    KIND_MAP = 5,             // flags: 1 writable, 2 shared
    KIND_MARK = 6,            // payload: the program's text
    KIND_DIRECTORY_SYNC = 7,  // payload: the directory's path
    KIND_UNMODELLED = 8,      // payload: the name of a call that a replay cannot follow
};

struct header {
    uint32_t kind, flags;
    uint64_t offset, length;
    uint32_t payload;
    int32_t result;
};

enum { MAXIMUM_DESCRIPTOR = 4096, IS_DATA = 1, IS_SYNCHRONOUS = 2 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
// The kind of each descriptor. It is written under the lock. Calls on descriptors that their callers own read it without
// the lock.
static volatile unsigned char descriptors[MAXIMUM_DESCRIPTOR];
static int log_descriptor = -1;
static long kill_at = 0;
static long operations = 0;
static long fail_from = 0;
static long fail_count = 0;
static long sync_points = 0;

__attribute__((constructor)) static void start(void) {
    const char *path = getenv("SYNCLOG_FILE");
    const char *at = getenv("SYNCLOG_KILL_AT");
    if (path)
        log_descriptor = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (at) kill_at = atol(at);
    const char *fail = getenv("SYNCLOG_FAIL");
    if (fail) sscanf(fail, "%ld:%ld", &fail_from, &fail_count);
    // The log does not cover children of this program.
    unsetenv("LD_PRELOAD");
}

// Appends a record with one call, which the system executes as a whole, because several processes may share a log.
static void record(uint32_t kind, uint32_t flags, uint64_t offset, uint64_t length, const struct iovec *parts,
                   int part_count, long result) {
    if (log_descriptor < 0) return;
    int saved = errno;
    struct header header = {kind, flags, offset, length, 0, (int32_t)result};
    struct iovec all[IOV_MAX] = {{&header, sizeof header}};
    if (part_count >= IOV_MAX) abort();
    for (int i = 0; i < part_count; i++) {
        all[i + 1] = parts[i];
        header.payload += (uint32_t)parts[i].iov_len;
    }
    long written = syscall(SYS_writev, log_descriptor, all, (long)part_count + 1);
    if (written != (long)(sizeof header + header.payload)) abort();
    errno = saved;
}

static void record_text(uint32_t kind, const char *text, long result) {
    struct iovec part = {(void *)text, strlen(text)};
    record(kind, 0, 0, 0, &part, 1, result);
}

static int kind_of(int descriptor) {
    return descriptor >= 0 && descriptor < MAXIMUM_DESCRIPTOR ? descriptors[descriptor] : 0;
}

static void set_kind(int descriptor, int kind) {
    if (descriptor < 0) return;
    if (descriptor >= MAXIMUM_DESCRIPTOR && kind) abort();
    if (descriptor < MAXIMUM_DESCRIPTOR) descriptors[descriptor] = (unsigned char)kind;
}

// Called before a write or sync of the data file, with the lock held.
static void count_operation(void) {
    operations++;
    if (operations == kill_at) syscall(SYS_kill, getpid(), SIGKILL);
}

// Called before a sync or a synchronous write of the data file, with the lock held. Returns whether it has to fail.
static int sync_fails(void) {
    sync_points++;
    return sync_points >= fail_from && sync_points < fail_from + fail_count;
}

/// Logs a text of the program, such as the acknowledgement of a write.
void synclog_mark(const char *text) {
    pthread_mutex_lock(&lock);
    record_text(KIND_MARK, text, 0);
    pthread_mutex_unlock(&lock);
}

// Opening and closing

static int is_data_file(const char *path) {
    const char *name = strrchr(path, '/');
    return strcmp(name ? name + 1 : path, "data.mdb") == 0;
}

static int open_any(int directory, const char *path, int flags, mode_t mode) {
    if (!is_data_file(path)) {
        int descriptor = (int)syscall(SYS_openat, directory, path, flags, mode);
        if (kind_of(descriptor)) set_kind(descriptor, 0);
        return descriptor;
    }
    pthread_mutex_lock(&lock);
    int descriptor = (int)syscall(SYS_openat, directory, path, flags, mode);
    if (descriptor >= 0) {
        int synchronous = (flags & O_DSYNC) != 0;
        set_kind(descriptor, IS_DATA | (synchronous ? IS_SYNCHRONOUS : 0));
        record(KIND_OPEN, (synchronous ? 1 : 0) | (flags & O_CREAT ? 2 : 0), 0, 0, NULL, 0, descriptor);
    }
    pthread_mutex_unlock(&lock);
    return descriptor;
}

static mode_t mode_argument(int flags, va_list arguments) {
    return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(arguments, mode_t) : 0;
}

#define OPEN(name)                                     \
    int name(const char *path, int flags, ...) {       \
        va_list arguments;                             \
        va_start(arguments, flags);                    \
        mode_t mode = mode_argument(flags, arguments); \
        va_end(arguments);                             \
        return open_any(AT_FDCWD, path, flags, mode);  \
    }
#define OPENAT(name)                                              \
    int name(int directory, const char *path, int flags, ...) {   \
        va_list arguments;                                        \
        va_start(arguments, flags);                               \
        mode_t mode = mode_argument(flags, arguments);            \
        va_end(arguments);                                        \
        return open_any(directory, path, flags, mode);            \
    }
OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)

int close(int descriptor) {
    // Cleared before the close, because afterwards another thread may get the same number.
    if (kind_of(descriptor)) set_kind(descriptor, 0);
    return (int)syscall(SYS_close, descriptor);
}

static int duplicated(int from, int to) {
    if (to >= 0) set_kind(to, kind_of(from));
    return to;
}

int dup(int descriptor) { return duplicated(descriptor, (int)syscall(SYS_dup, descriptor)); }

int dup3(int from, int to, int flags) { return duplicated(from, (int)syscall(SYS_dup3, from, to, flags)); }

int dup2(int from, int to) {
    if (from == to) return (int)syscall(SYS_fcntl, from, F_GETFD) < 0 ? -1 : to;
    return dup3(from, to, 0);
}

static int control(int descriptor, int command, va_list arguments) {
    long result = syscall(SYS_fcntl, descriptor, command, va_arg(arguments, void *));
    if (command == F_DUPFD || command == F_DUPFD_CLOEXEC) return duplicated(descriptor, (int)result);
    return (int)result;
}

#define CONTROL(name)                                           \
    int name(int descriptor, int command, ...) {                \
        va_list arguments;                                      \
        va_start(arguments, command);                           \
        int result = control(descriptor, command, arguments);   \
        va_end(arguments);                                      \
        return result;                                          \
    }
CONTROL(fcntl)
CONTROL(fcntl64)

// Writing

static void record_write(int kind, long written, uint64_t offset, const struct iovec *parts, int part_count) {
    if (written < 0) return;
    // Records a short write up to the bytes that were written.
    struct iovec done[IOV_MAX];
    int count = 0;
    size_t rest = (size_t)written;
    for (int i = 0; i < part_count && rest > 0; i++) {
        size_t length = parts[i].iov_len < rest ? parts[i].iov_len : rest;
        done[count++] = (struct iovec){parts[i].iov_base, length};
        rest -= length;
    }
    record(KIND_WRITE, kind & IS_SYNCHRONOUS ? 1 : 0, offset, (uint64_t)written, done, count, written);
}

static ssize_t write_any(int descriptor, const struct iovec *parts, int count, off_t offset, int is_positioned) {
    int kind = kind_of(descriptor);
    if (kind) {
        pthread_mutex_lock(&lock);
        count_operation();
        if (!is_positioned) offset = (off_t)syscall(SYS_lseek, descriptor, 0, SEEK_CUR);
    }
    long written = is_positioned ? syscall(SYS_pwritev, descriptor, parts, (long)count, offset, 0L)
                                 : syscall(SYS_writev, descriptor, parts, (long)count);
    if (kind) {
        // The failed write is in the page cache all the same.
        int fails = kind & IS_SYNCHRONOUS && sync_fails();
        record_write(fails ? kind & ~IS_SYNCHRONOUS : kind, written, (uint64_t)offset, parts, count);
        if (fails) record(KIND_SYNC, 4, 0, 0, NULL, 0, -1);
        pthread_mutex_unlock(&lock);
        if (fails) {
            errno = EIO;
            return -1;
        }
    }
    return written;
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
    if (!kind_of(descriptor)) return syscall(SYS_write, descriptor, bytes, count);
    struct iovec part = {(void *)bytes, count};
    return write_any(descriptor, &part, 1, 0, 0);
}

ssize_t writev(int descriptor, const struct iovec *parts, int count) {
    return write_any(descriptor, parts, count, 0, 0);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
    if (!kind_of(descriptor)) return syscall(SYS_pwrite64, descriptor, bytes, count, offset);
    struct iovec part = {(void *)bytes, count};
    return write_any(descriptor, &part, 1, offset, 1);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset) {
    return pwrite(descriptor, bytes, count, offset);
}

ssize_t pwritev(int descriptor, const struct iovec *parts, int count, off_t offset) {
    return write_any(descriptor, parts, count, offset, 1);
}

ssize_t pwritev64(int descriptor, const struct iovec *parts, int count, off64_t offset) {
    return pwritev(descriptor, parts, count, offset);
}

int ftruncate(int descriptor, off_t length) {
    int kind = kind_of(descriptor);
    if (kind) pthread_mutex_lock(&lock);
    int result = (int)syscall(SYS_ftruncate, descriptor, length);
    if (kind) {
        if (result == 0) record(KIND_TRUNCATE, 0, (uint64_t)length, 0, NULL, 0, result);
        pthread_mutex_unlock(&lock);
    }
    return result;
}

int ftruncate64(int descriptor, off64_t length) { return ftruncate(descriptor, length); }

static void unmodelled(int descriptor, const char *name) {
    if (!kind_of(descriptor)) return;
    pthread_mutex_lock(&lock);
    record_text(KIND_UNMODELLED, name, 0);
    pthread_mutex_unlock(&lock);
}

int fallocate(int descriptor, int mode, off_t offset, off_t length) {
    unmodelled(descriptor, "fallocate");
    return (int)syscall(SYS_fallocate, descriptor, mode, offset, length);
}

int posix_fallocate(int descriptor, off_t offset, off_t length) {
    unmodelled(descriptor, "posix_fallocate");
    return syscall(SYS_fallocate, descriptor, 0, offset, length) == 0 ? 0 : errno;
}

ssize_t copy_file_range(int from, off64_t *from_offset, int to, off64_t *to_offset, size_t length, unsigned flags) {
    unmodelled(to, "copy_file_range");
    return syscall(SYS_copy_file_range, from, from_offset, to, to_offset, length, flags);
}

// Syncing

static int sync_any(int descriptor, long call, uint32_t flags) {
    int kind = kind_of(descriptor);
    char path[PATH_MAX] = "";
    if (!kind) {
        struct stat status;
        if (log_descriptor >= 0 && fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode)) {
            char link[64];
            snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
            long length = syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof path - 1);
            if (length > 0) path[length] = 0;
        }
    }
    if (!kind && !path[0]) return (int)syscall(call, descriptor);
    pthread_mutex_lock(&lock);
    if (kind) count_operation();
    if (kind && sync_fails()) {
        record(KIND_SYNC, flags | 4, 0, 0, NULL, 0, -1);
        pthread_mutex_unlock(&lock);
        errno = EIO;
        return -1;
    }
    int result = (int)syscall(call, descriptor);
    if (result == 0 && kind) record(KIND_SYNC, flags, 0, 0, NULL, 0, result);
    if (result == 0 && !kind) record_text(KIND_DIRECTORY_SYNC, path, result);
    pthread_mutex_unlock(&lock);
    return result;
}

int fdatasync(int descriptor) { return sync_any(descriptor, SYS_fdatasync, 1); }

int fsync(int descriptor) { return sync_any(descriptor, SYS_fsync, 2); }

int sync_file_range(int descriptor, off64_t offset, off64_t length, unsigned flags) {
    // This call guarantees nothing after a crash, so a replay may ignore it. The record shows that the program relies on it.
    unmodelled(descriptor, "sync_file_range");
    return (int)syscall(SYS_sync_file_range, descriptor, offset, length, flags);
}

// Maps. Writes to a writable shared map, and their syncs by msync, would bypass this log, so the test refuses such a map of
// the data file.

void *mmap(void *address, size_t length, int protection, int flags, int descriptor, off_t offset) {
    void *result = (void *)syscall(SYS_mmap, address, length, protection, flags, descriptor, offset);
    if (kind_of(descriptor) && result != MAP_FAILED) {
        pthread_mutex_lock(&lock);
        uint32_t found = (protection & PROT_WRITE ? 1 : 0) | ((flags & MAP_TYPE) != MAP_PRIVATE ? 2 : 0);
        record(KIND_MAP, found, (uint64_t)offset, length, NULL, 0, 0);
        pthread_mutex_unlock(&lock);
    }
    return result;
}

void *mmap64(void *address, size_t length, int protection, int flags, int descriptor, off64_t offset) {
    return mmap(address, length, protection, flags, descriptor, offset);
}
