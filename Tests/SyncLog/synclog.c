// A preloaded library that logs a program's operations on files, in order. From the log, a test computes the possible contents
// of the disk after a power failure at any moment.
//
// Environment:
//   SYNCLOG_FILE     the file to append the log to; without it nothing is logged
//   SYNCLOG_ROOT     the absolute path of a directory: logs all files and names below it, and the program's output as marks.
//                    Without it, the library logs LMDB's data files only
//   SYNCLOG_KILL_AT  kills the process with SIGKILL directly before its n-th write or sync of a logged file, counted from 1
//   SYNCLOG_FAIL     n:count makes the n-th to (n + count - 1)-th sync or synchronous write of a logged file fail with EIO. The
//                    pages that it had to write count as written from then on, as in the page cache of Linux
//   SYNCLOG_SHORT    makes each long write to a file with this text in its path write half of its bytes, and the next one fail
//                    with EINTR
//
// Log: records of 40 bytes, each followed by its payload; integers in this machine's byte order.
//   u32 kind     see below
//   u32 flags    see below
//   u64 offset   the offset of a write, the new length of a truncation, or zero
//   u64 length   the number of bytes written or mapped
//   u64 file     the inode of the file or of the new directory
//   u32 payload  the number of bytes that follow
//   i32 result   the result of the call, truncated to 32 bits
//
// The library holds one lock over each call and its record, so the log has the order of the calls. Between processes that
// share a log, LMDB's own write lock does the same. A call is recorded after it has returned, so a call that a kill
// interrupts is not in the log.

#define _GNU_SOURCE
#include <dlfcn.h>
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
    KIND_OPEN = 1,            // a file; flags: 1 synchronous descriptor, 2 the call may create it
    KIND_WRITE = 2,           // payload: the bytes; flags: 1 through a synchronous descriptor
    KIND_SYNC = 3,            // flags: 1 fdatasync, 2 fsync, 4 failed
    KIND_TRUNCATE = 4,        // offset: the new length
    KIND_MAP = 5,             // flags: 1 writable, 2 shared
    KIND_MARK = 6,            // payload: the program's text
    KIND_DIRECTORY_SYNC = 7,  // payload: the directory's path
    KIND_UNMODELLED = 8,      // payload: the name of a call that a replay cannot follow
    // Only with SYNCLOG_ROOT. Paths are absolute.
    KIND_CREATE = 9,           // a new file; payload: its path
    KIND_MAKE_DIRECTORY = 10,  // payload: its path
    KIND_REMOVE = 11,          // of a name of a file or a directory; payload: its path
    KIND_RENAME = 12,          // flags: 1 exchanges the two; payload: the old path, a zero, the new path
    KIND_LINK = 13,            // payload: the old path, a zero, the new path
};

struct header {
    uint32_t kind, flags;
    uint64_t offset, length, file;
    uint32_t payload;
    int32_t result;
};

enum { MAXIMUM_DESCRIPTOR = 4096, IS_LOGGED = 1, IS_SYNCHRONOUS = 2, IS_SHORT = 4 };

// The library defines `syscall` itself, and calls the one of the C library.
static long (*direct_function(void))(long, ...) {
    static long (*found)(long, ...) = NULL;
    if (!found) *(void **)&found = dlsym(RTLD_NEXT, "syscall");
    return found;
}
#define direct(...) direct_function()(__VA_ARGS__)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
// The kind of each descriptor. It is written under the lock. Calls on descriptors that their callers own read it without
// the lock.
static volatile unsigned char descriptors[MAXIMUM_DESCRIPTOR];
// The inode of each logged descriptor.
static volatile uint64_t files[MAXIMUM_DESCRIPTOR];
static char root[PATH_MAX];
static int log_descriptor = -1;
static long kill_at = 0;
static long operations = 0;
static long fail_from = 0;
static long fail_count = 0;
static long sync_points = 0;
static const char *short_name = NULL;
// Whether the next long write to such a file is interrupted.
static int is_interrupted = 0;

__attribute__((constructor)) static void start(void) {
    const char *path = getenv("SYNCLOG_FILE");
    const char *at = getenv("SYNCLOG_KILL_AT");
    if (path)
        log_descriptor = (int)direct(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (at) kill_at = atol(at);
    const char *given_root = getenv("SYNCLOG_ROOT");
    if (given_root) snprintf(root, sizeof root, "%s", given_root);
    const char *fail = getenv("SYNCLOG_FAIL");
    short_name = getenv("SYNCLOG_SHORT");
    if (fail) sscanf(fail, "%ld:%ld", &fail_from, &fail_count);
    // The log does not cover children of this program.
    unsetenv("LD_PRELOAD");
}

// Appends a record with one call, which the system executes as a whole, because several processes may share a log.
static void record(uint32_t kind, uint32_t flags, uint64_t file, uint64_t offset, uint64_t length,
                   const struct iovec *parts, int part_count, long result) {
    if (log_descriptor < 0) return;
    int saved = errno;
    struct header header = {kind, flags, offset, length, file, 0, (int32_t)result};
    struct iovec all[IOV_MAX] = {{&header, sizeof header}};
    if (part_count >= IOV_MAX) abort();
    for (int i = 0; i < part_count; i++) {
        all[i + 1] = parts[i];
        header.payload += (uint32_t)parts[i].iov_len;
    }
    long written = direct(SYS_writev, log_descriptor, all, (long)part_count + 1);
    if (written != (long)(sizeof header + header.payload)) abort();
    errno = saved;
}

static void record_text(uint32_t kind, const char *text, long result) {
    struct iovec part = {(void *)text, strlen(text)};
    record(kind, 0, 0, 0, 0, &part, 1, result);
}

static int kind_of(int descriptor) {
    return descriptor >= 0 && descriptor < MAXIMUM_DESCRIPTOR ? descriptors[descriptor] : 0;
}

static uint64_t file_of(int descriptor) {
    return descriptor >= 0 && descriptor < MAXIMUM_DESCRIPTOR ? files[descriptor] : 0;
}

static void set_kind(int descriptor, int kind) {
    if (descriptor < 0) return;
    if (descriptor >= MAXIMUM_DESCRIPTOR && kind) abort();
    if (descriptor < MAXIMUM_DESCRIPTOR) descriptors[descriptor] = (unsigned char)kind;
}

// Called before a write or sync of a logged file, with the lock held.
static void count_operation(void) {
    operations++;
    if (operations == kill_at) direct(SYS_kill, getpid(), SIGKILL);
}

// Called before a sync or a synchronous write of a logged file, with the lock held. Returns whether it has to fail.
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

// Writes the absolute form of a path. The test passes paths without links, "." and "..".
static void make_absolute(int directory, const char *path, char absolute[PATH_MAX]) {
    char base[PATH_MAX] = "";
    absolute[0] = 0;
    if (path[0] != '/') {
        char link[64];
        if (directory == AT_FDCWD) snprintf(link, sizeof link, "/proc/self/cwd");
        else snprintf(link, sizeof link, "/proc/self/fd/%d", directory);
        long length = direct(SYS_readlinkat, AT_FDCWD, link, base, sizeof base - 1);
        if (length < 0 || (size_t)length + strlen(path) + 2 > PATH_MAX) return;
        base[length] = '/';
        base[length + 1] = 0;
    }
    if (strlen(base) + strlen(path) + 1 > PATH_MAX) return;
    strcpy(absolute, base);
    strcat(absolute, path);
}

static int is_below_root(const char *path) {
    size_t length = strlen(root);
    return length > 0 && strncmp(path, root, length) == 0 && path[length] == '/';
}

static int is_logged(const char *path, const char *absolute) {
    if (root[0]) return is_below_root(absolute);
    const char *name = strrchr(path, '/');
    return strcmp(name ? name + 1 : path, "data.mdb") == 0;
}

static int open_any(int directory, const char *path, int flags, mode_t mode) {
    char absolute[PATH_MAX] = "";
    if (root[0]) make_absolute(directory, path, absolute);
    if (!is_logged(path, absolute)) {
        int descriptor = (int)direct(SYS_openat, directory, path, flags, mode);
        if (kind_of(descriptor)) set_kind(descriptor, 0);
        return descriptor;
    }
    pthread_mutex_lock(&lock);
    struct stat status;
    int was_there = !root[0] || !(flags & O_CREAT) || fstatat(directory, path, &status, AT_SYMLINK_NOFOLLOW) == 0;
    int is_emptied = was_there && root[0] && flags & O_TRUNC;
    int descriptor = (int)direct(SYS_openat, directory, path, flags, mode);
    if (descriptor >= 0) {
        if (kind_of(descriptor)) set_kind(descriptor, 0);
        int error = errno;
        if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode)) {
            int synchronous = (flags & O_DSYNC) != 0;
            int is_short = short_name && strstr(path, short_name);
            set_kind(descriptor, IS_LOGGED | (synchronous ? IS_SYNCHRONOUS : 0) | (is_short ? IS_SHORT : 0));
            files[descriptor] = (uint64_t)status.st_ino;
            struct iovec name = {absolute, strlen(absolute)};
            if (!was_there) record(KIND_CREATE, 0, files[descriptor], 0, 0, &name, 1, 0);
            record(KIND_OPEN, (synchronous ? 1 : 0) | (flags & O_CREAT ? 2 : 0), files[descriptor], 0, 0, NULL, 0,
                   descriptor);
            if (is_emptied) record(KIND_TRUNCATE, 0, files[descriptor], 0, 0, NULL, 0, 0);
        }
        errno = error;
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
    return (int)direct(SYS_close, descriptor);
}

static int duplicated(int from, int to) {
    if (to >= 0) set_kind(to, kind_of(from));
    if (kind_of(to)) files[to] = file_of(from);
    return to;
}

int dup(int descriptor) { return duplicated(descriptor, (int)direct(SYS_dup, descriptor)); }

int dup3(int from, int to, int flags) { return duplicated(from, (int)direct(SYS_dup3, from, to, flags)); }

int dup2(int from, int to) {
    if (from == to) return (int)direct(SYS_fcntl, from, F_GETFD) < 0 ? -1 : to;
    return dup3(from, to, 0);
}

static int control(int descriptor, int command, va_list arguments) {
    long result = direct(SYS_fcntl, descriptor, command, va_arg(arguments, void *));
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

static void record_write(int kind, uint64_t file, long written, uint64_t offset, const struct iovec *parts,
                         int part_count) {
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
    record(KIND_WRITE, kind & IS_SYNCHRONOUS ? 1 : 0, file, offset, (uint64_t)written, done, count, written);
}

static ssize_t write_any(int descriptor, const struct iovec *parts, int count, off_t offset, int is_positioned) {
    int kind = kind_of(descriptor);
    if (kind) {
        pthread_mutex_lock(&lock);
        count_operation();
        if (!is_positioned) offset = (off_t)direct(SYS_lseek, descriptor, 0, SEEK_CUR);
    }
    long written = is_positioned ? direct(SYS_pwritev, descriptor, parts, (long)count, offset, 0L)
                                 : direct(SYS_writev, descriptor, parts, (long)count);
    if (kind) {
        // The failed write is in the page cache all the same.
        int fails = kind & IS_SYNCHRONOUS && sync_fails();
        uint64_t file = file_of(descriptor);
        record_write(fails ? kind & ~IS_SYNCHRONOUS : kind, file, written, (uint64_t)offset, parts, count);
        if (fails) record(KIND_SYNC, 4, file, 0, 0, NULL, 0, -1);
        pthread_mutex_unlock(&lock);
        if (fails) {
            errno = EIO;
            return -1;
        }
    }
    return written;
}

// Logs what the program prints: a test then knows when a command has acknowledged its success.
static void mark_output(int descriptor, const void *bytes, size_t count) {
    if (!root[0] || (descriptor != STDOUT_FILENO && descriptor != STDERR_FILENO)) return;
    struct iovec part = {(void *)bytes, count};
    pthread_mutex_lock(&lock);
    record(KIND_MARK, 0, 0, 0, 0, &part, 1, 0);
    pthread_mutex_unlock(&lock);
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
    mark_output(descriptor, bytes, count);
    if (!kind_of(descriptor)) return direct(SYS_write, descriptor, bytes, count);
    struct iovec part = {(void *)bytes, count};
    return write_any(descriptor, &part, 1, 0, 0);
}

ssize_t writev(int descriptor, const struct iovec *parts, int count) {
    return write_any(descriptor, parts, count, 0, 0);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
    int kind = kind_of(descriptor);
    if (!kind) return direct(SYS_pwrite64, descriptor, bytes, count, offset);
    // A loop that writes the rest ends with the last few bytes.
    if (kind & IS_SHORT && count > 64) {
        count /= 2;
        is_interrupted = !is_interrupted;
        if (!is_interrupted) {
            errno = EINTR;
            return -1;
        }
    }
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
    int result = (int)direct(SYS_ftruncate, descriptor, length);
    if (kind) {
        if (result == 0) record(KIND_TRUNCATE, 0, file_of(descriptor), (uint64_t)length, 0, NULL, 0, result);
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

static void unmodelled_name(int directory, const char *path, const char *name) {
    char absolute[PATH_MAX] = "";
    make_absolute(directory, path, absolute);
    if (!is_below_root(absolute)) return;
    pthread_mutex_lock(&lock);
    record_text(KIND_UNMODELLED, name, 0);
    pthread_mutex_unlock(&lock);
}

int fallocate(int descriptor, int mode, off_t offset, off_t length) {
    // The content and the size do not change with this mode.
    if (mode != FALLOC_FL_KEEP_SIZE) unmodelled(descriptor, "fallocate");
    return (int)direct(SYS_fallocate, descriptor, mode, offset, length);
}

int posix_fallocate(int descriptor, off_t offset, off_t length) {
    unmodelled(descriptor, "posix_fallocate");
    return direct(SYS_fallocate, descriptor, 0, offset, length) == 0 ? 0 : errno;
}

ssize_t copy_file_range(int from, off64_t *from_offset, int to, off64_t *to_offset, size_t length, unsigned flags) {
    unmodelled(to, "copy_file_range");
    return direct(SYS_copy_file_range, from, from_offset, to, to_offset, length, flags);
}

// Names

// Runs a call that changes names, and logs it if it succeeds. The second path may be null.
#define CHANGE_NAMES(kind, flags, first_directory, first, second_directory, second, call)             \
    do {                                                                                               \
        if (!root[0]) return (int)(call);                                                              \
        pthread_mutex_lock(&lock);                                                                     \
        int result = (int)(call);                                                                      \
        if (result == 0) record_names(kind, flags, first_directory, first, second_directory, second);  \
        pthread_mutex_unlock(&lock);                                                                   \
        return result;                                                                                 \
    } while (0)

static void record_names(uint32_t kind, uint32_t flags, int first_directory, const char *first, int second_directory,
                         const char *second) {
    int saved = errno;
    char paths[2][PATH_MAX] = {"", ""};
    make_absolute(first_directory, first, paths[0]);
    if (second) make_absolute(second_directory, second, paths[1]);
    int is_first_below = is_below_root(paths[0]), is_second_below = is_below_root(paths[1]);
    struct stat status;
    uint64_t file = 0;
    if (kind == KIND_MAKE_DIRECTORY && stat(paths[0], &status) == 0) file = (uint64_t)status.st_ino;
    struct iovec parts[2] = {{paths[0], strlen(paths[0]) + (second ? 1 : 0)}, {paths[1], strlen(paths[1])}};
    if (second && is_first_below != is_second_below) record_text(KIND_UNMODELLED, "a name moves in or out", 0);
    else if (is_first_below) record(kind, flags, file, 0, 0, parts, second ? 2 : 1, 0);
    errno = saved;
}

int mkdirat(int directory, const char *path, mode_t mode) {
    CHANGE_NAMES(KIND_MAKE_DIRECTORY, 0, directory, path, 0, NULL, direct(SYS_mkdirat, directory, path, mode));
}

int mkdir(const char *path, mode_t mode) { return mkdirat(AT_FDCWD, path, mode); }

char *mkdtemp(char *template) {
    char *(*original)(char *) = NULL;
    *(void **)&original = dlsym(RTLD_NEXT, "mkdtemp");
    pthread_mutex_lock(&lock);
    char *made = original(template);
    if (made && root[0]) record_names(KIND_MAKE_DIRECTORY, 0, AT_FDCWD, made, 0, NULL);
    pthread_mutex_unlock(&lock);
    return made;
}

int unlinkat(int directory, const char *path, int flags) {
    CHANGE_NAMES(KIND_REMOVE, 0, directory, path, 0, NULL, direct(SYS_unlinkat, directory, path, flags));
}

int unlink(const char *path) { return unlinkat(AT_FDCWD, path, 0); }

int rmdir(const char *path) { return unlinkat(AT_FDCWD, path, AT_REMOVEDIR); }

int remove(const char *path) { return unlink(path) == 0 || (errno == EISDIR && rmdir(path) == 0) ? 0 : -1; }

int renameat2(int first_directory, const char *first, int second_directory, const char *second, unsigned flags) {
    CHANGE_NAMES(KIND_RENAME, flags & RENAME_EXCHANGE ? 1 : 0, first_directory, first, second_directory, second,
                 direct(SYS_renameat2, first_directory, first, second_directory, second, flags));
}

int renameat(int first_directory, const char *first, int second_directory, const char *second) {
    return renameat2(first_directory, first, second_directory, second, 0);
}

int rename(const char *first, const char *second) { return renameat2(AT_FDCWD, first, AT_FDCWD, second, 0); }

int linkat(int first_directory, const char *first, int second_directory, const char *second, int flags) {
    CHANGE_NAMES(KIND_LINK, 0, first_directory, first, second_directory, second,
                 direct(SYS_linkat, first_directory, first, second_directory, second, flags));
}

int link(const char *first, const char *second) { return linkat(AT_FDCWD, first, AT_FDCWD, second, 0); }

int symlinkat(const char *target, int directory, const char *path) {
    unmodelled_name(directory, path, "symlinkat");
    return (int)direct(SYS_symlinkat, target, directory, path);
}

int symlink(const char *target, const char *path) { return symlinkat(target, AT_FDCWD, path); }

// The calls that the package makes without a function of the C library.
long syscall(long number, ...) {
    long words[6];
    va_list arguments;
    va_start(arguments, number);
    for (int i = 0; i < 6; i++) words[i] = va_arg(arguments, long);
    va_end(arguments);
    if (number == SYS_renameat2)
        return renameat2((int)words[0], (const char *)words[1], (int)words[2], (const char *)words[3],
                         (unsigned)words[4]);
    if (number == SYS_fallocate) return fallocate((int)words[0], (int)words[1], words[2], words[3]);
    return direct(number, words[0], words[1], words[2], words[3], words[4], words[5]);
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
            long length = direct(SYS_readlinkat, AT_FDCWD, link, path, sizeof path - 1);
            if (length > 0) path[length] = 0;
        }
    }
    if (!kind && !path[0]) return (int)direct(call, descriptor);
    pthread_mutex_lock(&lock);
    if (kind) count_operation();
    if (kind && sync_fails()) {
        record(KIND_SYNC, flags | 4, file_of(descriptor), 0, 0, NULL, 0, -1);
        pthread_mutex_unlock(&lock);
        errno = EIO;
        return -1;
    }
    int result = (int)direct(call, descriptor);
    // A tracer can make the call fail too.
    int is_lost = result != 0 && errno == EIO;
    if ((result == 0 || is_lost) && kind)
        record(KIND_SYNC, is_lost ? flags | 4 : flags, file_of(descriptor), 0, 0, NULL, 0, result);
    if (result == 0 && !kind) record_text(KIND_DIRECTORY_SYNC, path, result);
    pthread_mutex_unlock(&lock);
    return result;
}

int fdatasync(int descriptor) { return sync_any(descriptor, SYS_fdatasync, 1); }

int fsync(int descriptor) { return sync_any(descriptor, SYS_fsync, 2); }

int sync_file_range(int descriptor, off64_t offset, off64_t length, unsigned flags) {
    // This call guarantees nothing after a crash, so a replay may ignore it. The record shows that the program relies on it.
    unmodelled(descriptor, "sync_file_range");
    return (int)direct(SYS_sync_file_range, descriptor, offset, length, flags);
}

// Maps. Writes to a writable shared map, and their syncs by msync, would bypass this log, so the test refuses such a map of
// the data file.

void *mmap(void *address, size_t length, int protection, int flags, int descriptor, off_t offset) {
    void *result = (void *)direct(SYS_mmap, address, length, protection, flags, descriptor, offset);
    if (kind_of(descriptor) && result != MAP_FAILED) {
        pthread_mutex_lock(&lock);
        uint32_t found = (protection & PROT_WRITE ? 1 : 0) | ((flags & MAP_TYPE) != MAP_PRIVATE ? 2 : 0);
        record(KIND_MAP, found, file_of(descriptor), (uint64_t)offset, length, NULL, 0, 0);
        pthread_mutex_unlock(&lock);
    }
    return result;
}

void *mmap64(void *address, size_t length, int protection, int flags, int descriptor, off64_t offset) {
    return mmap(address, length, protection, flags, descriptor, offset);
}
