import Glibc

/// Who owns a file and what others may do with it.
struct FileOwnership: Equatable {
    var owner: UInt32
    var group: UInt32
    /// The permission bits.
    var mode: UInt32

    /// That of a file or directory; nil when there is none.
    init?(of path: String) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        owner = status.st_uid
        group = status.st_gid
        mode = status.st_mode & 0o7777
    }

    /// What a file in a directory of this ownership gets: no right to execute, and nothing that the directory denies.
    var forFiles: FileOwnership {
        var result = self
        result.mode = mode & 0o666
        return result
    }

    /// Gives a file this owner and mode, as far as this process may; a link is not followed.
    func apply(to path: String) {
        let descriptor = unsafe open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        // Only root may give files away; for everybody else the files are theirs anyway.
        if geteuid() == 0 { _ = fchown(descriptor, owner, group) }
        _ = fchmod(descriptor, mode)
    }
}
