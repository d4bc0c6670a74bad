import Foundation

/// A worker's operations on its data file, as the preloaded library SyncLog recorded them.
struct SyncLog {
    /// One recorded operation.
    enum Operation {
        /// The data file was opened.
        case open(isSynchronous: Bool)
        /// Bytes were written. If the descriptor is synchronous, they are on the disk at once.
        case write(offset: Int, bytes: Data, isSynchronous: Bool)
        /// All earlier writes are on the disk.
        case sync
        /// A sync failed: earlier writes may or may not be on the disk, and later syncs do not write them.
        case failedSync
        case truncate(byteCount: Int)
        case map(isWritable: Bool, isShared: Bool)
        /// A message of the worker.
        case mark(String)
        case directorySync(String)
        /// A call that this replay does not model.
        case unmodelled(String)

        /// Whether the operation changes the disk.
        var changesDisk: Bool {
            switch self {
            case .write, .sync, .failedSync: true
            default: false
            }
        }
    }

    var operations: [Operation] = []

    /// Reads a log file.
    init(contentsOf path: String) throws {
        operations = try SyncLogRecord.all(contentsOf: path).map { try Self.operation($0) }
    }

    /// Returns the operation of a record about one file.
    static func operation(_ record: SyncLogRecord) throws -> Operation {
        let flags = record.flags
        switch record.kind {
        case 1: return .open(isSynchronous: flags & 1 != 0)
        case 2: return .write(offset: record.offset, bytes: record.payload, isSynchronous: flags & 1 != 0)
        case 3: return flags & 4 != 0 ? .failedSync : .sync
        case 4: return .truncate(byteCount: record.offset)
        case 5: return .map(isWritable: flags & 1 != 0, isShared: flags & 2 != 0)
        case 6: return .mark(record.text)
        case 7: return .directorySync(record.text)
        case 8: return .unmodelled(record.text)
        default: throw SyncLogRecord.Malformed(description: "the log has a record of the unknown kind \(record.kind)")
        }
    }

    /// Returns the log without the effect of a call, from the moment when the store exists. It shows that the test would notice a
    /// broken guarantee.
    func without(_ promise: BrokenPromise) -> SyncLog {
        var log = self
        var isMade = false
        log.operations = operations.compactMap { operation in
            if case .mark = operation { isMade = true }
            guard isMade else { return operation }
            return switch (promise, operation) {
            case (.sync, .sync): nil
            case (.synchronousWrite, .write(let offset, let bytes, _)):
                .write(offset: offset, bytes: bytes, isSynchronous: false)
            default: operation
            }
        }
        return log
    }

    /// An operation that a disk might only pretend to perform.
    enum BrokenPromise: CaseIterable {
        case sync, synchronousWrite
    }
}
