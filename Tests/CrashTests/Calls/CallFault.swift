import Glibc

/// A failure of one call of a command.
struct CallFault: CustomStringConvertible {
    /// The name of the system call, or of the function of the C library.
    let call: String
    /// Which call of this name fails, counted from 1.
    let number: Int
    /// The name of the error.
    let error: String

    var description: String { "\(call) \(number) fails with \(error)" }

    /// The number of the error.
    var code: Int32 { Self.codes[error] ?? EIO }

    /// Whether the failed call removes a file, which is then left over.
    var concernsRemoval: Bool { ["unlink", "unlinkat", "rmdir"].contains(call) }

    /// Whether the failed call may be the one that reports an error.
    var concernsOutput: Bool { ["write", "writev"].contains(call) }

    private static let codes = [
        "EIO": EIO, "ENOSPC": ENOSPC, "ENOMEM": ENOMEM, "EMFILE": EMFILE, "EACCES": EACCES, "EINTR": EINTR,
        "EPERM": EPERM, "ENOSYS": ENOSYS, "EOPNOTSUPP": EOPNOTSUPP, "ENOLCK": ENOLCK, "EROFS": EROFS, "EXDEV": EXDEV,
        "EAGAIN": EAGAIN,
    ]

    /// The errors with which the calls fail, by the names of system calls and of functions. Calls for memory and the event
    /// loop of Dispatch are not among them, because the C library, Swift or Dispatch ends the process if they fail.
    static let errors: [String: [String]] = [
        "open": ["EACCES", "EMFILE", "EIO", "EINTR"], "openat": ["EACCES", "EMFILE", "EIO", "EINTR"],
        "read": ["EIO", "EINTR"], "pread": ["EIO", "EINTR"], "pread64": ["EIO", "EINTR"],
        "write": ["ENOSPC", "EIO", "EINTR"], "pwrite": ["ENOSPC", "EIO", "EINTR"],
        "pwrite64": ["ENOSPC", "EIO", "EINTR"], "writev": ["ENOSPC", "EIO"], "pwritev": ["ENOSPC", "EIO"],
        "copy_file_range": ["EIO", "EXDEV"], "sendfile": ["EIO"],
        "fsync": ["EIO"], "fdatasync": ["EIO"], "msync": ["EIO"], "mmap": ["ENOMEM"], "mremap": ["ENOMEM"],
        "ftruncate": ["ENOSPC", "EIO"], "fallocate": ["ENOSPC", "EOPNOTSUPP", "EINTR"],
        "fcntl": ["ENOLCK", "EINTR"], "flock": ["ENOLCK", "EINTR"], "lseek": ["EIO"],
        "stat": ["EACCES", "EIO"], "fstat": ["EIO"], "newfstatat": ["EACCES", "EIO"], "statx": ["EACCES", "EIO"],
        "statfs": ["EIO"], "fstatfs": ["EIO"], "access": ["EACCES"], "faccessat2": ["EACCES"],
        "chmod": ["EPERM"], "fchmod": ["EPERM"], "fchmodat": ["EPERM"], "chown": ["EPERM"], "fchown": ["EPERM"],
        "rename": ["EIO", "EROFS"], "renameat2": ["EIO", "EROFS"], "link": ["EIO"], "linkat": ["EIO"],
        "unlink": ["EACCES"], "unlinkat": ["EACCES"], "mkdir": ["EACCES", "ENOSPC"], "mkdirat": ["EACCES", "ENOSPC"],
        "rmdir": ["EACCES"], "opendir": ["EMFILE"], "getdents64": ["EIO"], "readlink": ["EACCES"],
        "readlinkat": ["EACCES"], "inotify": ["EMFILE"], "inotify_init1": ["EMFILE"], "inotify_add_watch": ["ENOSPC"],
        "clone3": ["EAGAIN"], "ioctl": ["EIO"], "madvise": ["ENOMEM"], "prlimit64": ["EPERM"], "getrandom": ["EINTR"],
    ]
}
