import ModelStore

/// A mounted file system with its free space. The directory where it is mounted identifies it on its machine.
///
/// Sizes are nil if the file system does not answer, such as one on an unreachable server, or if it may not be queried.
@Record
struct Mount: HostRecord {
    /// The name of the machine. ``HostMirror`` sets it.
    @ID var host: String = ""
    /// The directory where the file system is mounted.
    @ID var target: String
    /// The mounted source: a device, a server's directory, or just a word.
    var source: String
    /// The kind of file system, such as `ext4`.
    var type: String
    /// The options in force: the mount's own, then the file system's.
    var options: [String]
    /// The total size.
    var totalBytes: UInt64?
    /// The free space, including the part that is reserved for the superuser.
    var freeBytes: UInt64?
    /// The free space that is available to every user.
    var availableBytes: UInt64?
    /// The greatest number of files; 0 if the file system has no such limit.
    var totalFiles: UInt64?
    /// The number of files that can still be created.
    var freeFiles: UInt64?
}
