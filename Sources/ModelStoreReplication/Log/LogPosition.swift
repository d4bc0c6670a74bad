package import StoreEngine

/// A position in a log: after the entry with an index.
public struct LogPosition: Hashable, Sendable, CustomStringConvertible {
    /// The number of the log's life. A log that was restored from a backup begins a new generation.
    public let generation: UInt64
    /// The number of the entry; 0 before the first.
    public let index: UInt64
    /// The chained hash of the entry.
    public let hash: LogHash

    /// Creates a position.
    public init(generation: UInt64, index: UInt64, hash: LogHash) {
        self.generation = generation
        self.index = index
        self.hash = hash
    }

    /// The position before the first entry of a log.
    public static func start(generation: UInt64) -> LogPosition {
        LogPosition(generation: generation, index: 0, hash: .zero)
    }

    /// Returns the number of entries from this position to a later one; 0 if there is none.
    package func entryCount(to head: LogPosition) -> UInt64 { head.index > index ? head.index - index : 0 }

    package init(from reader: inout ByteReader) throws(CodecError) {
        generation = try reader.read()
        index = try reader.read()
        hash = try LogHash(from: &reader)
    }

    package func encode(to writer: inout ByteWriter) {
        writer.append(generation)
        writer.append(index)
        hash.encode(to: &writer)
    }

    /// The generation, the index and the hash, with points between them.
    public var description: String { "\(generation).\(index).\(hash)" }
}
