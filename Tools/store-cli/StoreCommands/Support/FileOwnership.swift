import Glibc

/// The owner, group and permissions of a file.
struct FileOwnership: Equatable {
    // Linux's own flags. Glibc's overlay does not import their names.
    private static let pathOnly: Int32 = 0o10_000_000  // O_PATH
    private static let emptyPath: Int32 = 0x1000  // AT_EMPTY_PATH

    var owner: UInt32
    var group: UInt32
    /// The permission bits.
    var mode: UInt32

    /// Reads the ownership of a file or directory; nil if there is none.
    init?(of path: String) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        owner = status.st_uid
        group = status.st_gid
        mode = status.st_mode & 0o7777
    }

    /// The ownership of a file in a directory with this one: no right to execute, and no right that the directory denies.
    var forFiles: FileOwnership {
        var result = self
        result.mode = mode & 0o666
        return result
    }

    /// Gives a file or directory this owner and mode, as far as this process may. Does not follow a link.
    ///
    /// The file is named, not opened, because of `lock.mdb`. Closing any descriptor of `lock.mdb` would release the lock by which
    /// LMDB marks the store as in use, and two processes would write at once.
    func apply(to path: String) {
        let descriptor = unsafe open(path, Self.pathOnly | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT != S_IFLNK else { return }
        // Only root may give files away. For other users, the files belong to them anyway.
        if geteuid() == 0 { _ = unsafe fchownat(descriptor, "", owner, group, Self.emptyPath) }
        _ = unsafe chmod("/proc/self/fd/\(descriptor)", mode)
    }
}
