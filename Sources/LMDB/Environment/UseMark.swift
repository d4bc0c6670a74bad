internal import Glibc

/// A mark of each process of ModelStore that has a store with a redo log open: a shared lock on a byte of `redo.checkpoint`. The
/// kernel releases it when its process ends for any reason.
///
/// A process that sets it has recovered the store before, or has found it in use by another process with the mark. LMDB's own
/// lock does not show that: another LMDB program takes it too.
final class UseMark: Sendable {
    /// Behind the end of the file.
    private static let offset = 1 << 33

    private let descriptor: HandoverMutex<Int32?>

    /// Sets the mark; nil if there is no such file. Needs only read access to it.
    init?(in directory: String) throws(LMDBError) {
        let path = directory + "/" + CheckpointFile.name
        guard let descriptor = try StoreFile.open(path, isReadOnly: true) else { return nil }
        self.descriptor = HandoverMutex(descriptor)
        // The byte is never locked exclusively.
        _ = try OpenFileLock.share(byte: Self.offset, of: descriptor, path: path)
    }

    /// Returns whether a process has set the mark.
    static func isSet(in directory: String) throws(LMDBError) -> Bool {
        let path = directory + "/" + CheckpointFile.name
        guard let descriptor = try StoreFile.open(path, isReadOnly: true) else { return false }
        defer { SystemCalls.close(descriptor) }
        return try OpenFileLock.isTaken(byte: offset, of: descriptor, path: path)
    }

    /// Takes the mark away.
    func end() {
        descriptor.withLock { descriptor in
            guard let open = descriptor else { return }
            descriptor = nil
            OpenFileLock.giveUp(byte: Self.offset, of: open)
            SystemCalls.close(open)
        }
    }

    deinit { end() }
}
