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

    struct Malformed: Error, CustomStringConvertible {
        let description: String
    }

    /// Reads a log file. Its format is described in `synclog.c`.
    init(contentsOf path: String) throws {
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        var position = data.startIndex
        while position < data.endIndex {
            guard position + 32 <= data.endIndex else { throw Malformed(description: "the log ends within a record") }
            let header = data[position..<position + 32]
            let payloadCount = Int(header.integer(at: 24, as: UInt32.self))
            position += 32
            guard position + payloadCount <= data.endIndex else {
                throw Malformed(description: "the log ends within a payload")
            }
            let payload = data[position..<position + payloadCount]
            position += payloadCount
            operations.append(try Self.operation(header, payload))
        }
    }

    private static func operation(_ header: Data, _ payload: Data) throws -> Operation {
        let kind = header.integer(at: 0, as: UInt32.self)
        let flags = header.integer(at: 4, as: UInt32.self)
        let offset = Int(header.integer(at: 8, as: UInt64.self))
        let text = String(decoding: payload, as: UTF8.self)
        switch kind {
        case 1: return .open(isSynchronous: flags & 1 != 0)
        case 2: return .write(offset: offset, bytes: Data(payload), isSynchronous: flags & 1 != 0)
        case 3: return flags & 4 != 0 ? .failedSync : .sync
        case 4: return .truncate(byteCount: offset)
        case 5: return .map(isWritable: flags & 1 != 0, isShared: flags & 2 != 0)
        case 6: return .mark(text)
        case 7: return .directorySync(text)
        case 8: return .unmodelled(text)
        default: throw Malformed(description: "the log has a record of the unknown kind \(kind)")
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

extension Data {
    /// Reads an integer in this machine's byte order at an offset from the start.
    fileprivate func integer<I: FixedWidthInteger>(at offset: Int, as type: I.Type) -> I {
        var value: I = 0
        for index in 0..<MemoryLayout<I>.size {
            value |= I(truncatingIfNeeded: self[startIndex + offset + index]) << (8 * index)
        }
        return I(littleEndian: value.littleEndian)
    }
}
