/// The address of an environment's writer lock, looked up once: LMDB keeps the lock file mapped at one address while the
/// environment is open.
final class FoundWriterLock: Sendable {
    private let file: FileNode?
    private let found = HandoverMutex<WriterLock?>(nil)

    /// - Parameter file: the lock file.
    init(in file: FileNode?) { self.file = file }

    /// The lock; nil if it cannot be found. The environment must be open.
    var value: WriterLock? {
        found.withLock { found in
            if found == nil { found = file.flatMap(WriterLock.init) }
            return found
        }
    }
}
