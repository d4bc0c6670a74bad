import ModelStore

/// A file system that is mounted, with its free space. Its identity is where it is mounted.
///
/// Sizes are nil when the file system does not answer, as one on an unreachable server, or may not be asked.
@Record
struct Mount {
    /// The directory where it is seen.
    @ID var target: String
    /// What is mounted: a device, a server's directory, or just a word.
    var source: String
    /// The kind of file system, such as `ext4`.
    var type: String
    /// The options in force: the mount's own, then the file system's.
    var options: [String]
    /// Its size.
    var totalBytes: UInt64?
    /// What is free, including what is kept for the superuser.
    var freeBytes: UInt64?
    /// What is free for everyone.
    var availableBytes: UInt64?
    /// How many files it can hold; 0 where the file system has no such limit.
    var totalFiles: UInt64?
    /// How many more files it can hold.
    var freeFiles: UInt64?
}
