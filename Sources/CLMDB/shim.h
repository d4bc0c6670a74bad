#ifndef CLMDB_SHIM_H
#define CLMDB_SHIM_H

// The system's liblmdb (Debian: liblmdb-dev). Only the target `LMDB` imports this module.
#include <lmdb.h>

// Pages, the lock file and the writer lock are read directly, with the layout of 0.9.
#if MDB_VERSION_MAJOR != 0 || MDB_VERSION_MINOR != 9
#error "ModelStore needs liblmdb 0.9: install Debian's liblmdb-dev, or another 0.9 release"
#endif

#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <linux/stat.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

// Returns when an open file was created, in nanoseconds since 1970; -1 if the file system does not record it. In C, because
// Swift's Glibc module does not export statx.
static inline long long clmdb_birth_nanoseconds(int descriptor) {
    struct statx status;
    const int empty_path = 0x1000; // AT_EMPTY_PATH, which fcntl.h declares for GNU sources only
    if (syscall(SYS_statx, descriptor, "", empty_path, STATX_BTIME, &status) != 0) { return -1; }
    if ((status.stx_mask & STATX_BTIME) == 0) { return -1; }
    return (long long)status.stx_btime.tv_sec * 1000000000 + status.stx_btime.tv_nsec;
}

// Gives the first bytes of a file blocks on the disk, also beyond its end, without changing its size. In C, because Swift's Glibc module has only posix_fallocate, which writes to
// the file where the file system cannot reserve space.
static inline int clmdb_reserve(int descriptor, long byte_count) {
    const int keep_size = 1; // FALLOC_FL_KEEP_SIZE, which fcntl.h declares for GNU sources only
    return (int)syscall(SYS_fallocate, descriptor, keep_size, 0L, byte_count);
}

// Renames a file, unless the new name exists (EEXIST).
static inline int clmdb_rename_to_new(const char *old_name, const char *new_name) {
    const unsigned int no_replace = 1; // RENAME_NOREPLACE, which stdio.h declares for GNU sources only
    return (int)syscall(SYS_renameat2, AT_FDCWD, old_name, AT_FDCWD, new_name, no_replace);
}

// Exchanges two files in one step.
static inline int clmdb_exchange(const char *first, const char *second) {
    const unsigned int exchange = 2; // RENAME_EXCHANGE
    return (int)syscall(SYS_renameat2, AT_FDCWD, first, AT_FDCWD, second, exchange);
}

// Returns the kernel's number of the calling thread. Unlike the value of pthread_self, it is not reused soon.
static inline int clmdb_thread_number(void) { return (int)syscall(SYS_gettid); }

// Takes an exclusive lock on an open directory, and does not wait. In Swift, the structure `flock` hides the function. The header of
// the function would give that structure to this module.
static inline int clmdb_lock_directory(int descriptor) {
    const int exclusive = 2, does_not_wait = 4; // LOCK_EX, LOCK_NB
    return (int)syscall(SYS_flock, descriptor, exclusive | does_not_wait);
}

// Names the calling thread, for tools of the system. Linux keeps 15 bytes.
static inline void clmdb_name_thread(const char *name) { prctl(PR_SET_NAME, name); }

// Returns whether the thread of this process with this number is still running.
static inline int clmdb_thread_runs(int number) { return syscall(SYS_tgkill, getpid(), number, 0) == 0; }

// Waits until a word of shared memory differs from `value`, the thread is woken, or the time has passed.
static inline long clmdb_futex_wait(void *word, uint32_t value, uint32_t milliseconds) {
    struct timespec limit = {milliseconds / 1000, (long)(milliseconds % 1000) * 1000000};
    return syscall(SYS_futex, word, FUTEX_WAIT, value, &limit, NULL, 0);
}

// Creates a descriptor that becomes readable once something is written to it, and stays readable.
static inline int clmdb_make_event(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

// Wakes all threads that wait on a word of memory, in all processes.
static inline long clmdb_futex_wake(void *word) { return syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0); }

// Prefetches the 64 bytes of memory around an address. A hint: the memory need not exist. In C, because Swift has no such
// operation.
static inline void clmdb_prefetch(uintptr_t address) { __builtin_prefetch((const char *)address, 0, 2); }

// Prefetches the 4 KiB that begin at 4,096 times `page`.
static inline void clmdb_prefetch_page(uintptr_t page) {
    for (int offset = 0; offset < 4096; offset += 64) { clmdb_prefetch((page << 12) + offset); }
}

// Replaces a word of shared memory if it still has the expected value, and returns whether it had. In C, because Swift has no atomic
// operations on memory that other programs share.
static inline int clmdb_exchange_word(void *word, uint64_t expected, uint64_t desired) {
    return __atomic_compare_exchange_n((uint64_t *)word, &expected, desired, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

#endif
