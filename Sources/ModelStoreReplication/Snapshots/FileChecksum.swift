import Foundation
import LMDB
import StoreEngine
import StoreRuntime

/// The checksum of a file: the hash of each mebibyte, chained to the one before.
struct FileChecksum: Sendable, Hashable {
    private static let chunkByteCount = 1 << 20

    let byteCount: UInt64
    let hash: LogHash

    /// Reads a file.
    ///
    /// - Throws: the error of reading.
    init(of file: String) throws {
        let handle = try FileHandle(forReadingFrom: URL(filePath: file))
        defer { try? handle.close() }
        var (byteCount, hash) = (UInt64(0), LogHash.zero)
        while let chunk = try handle.read(upToCount: Self.chunkByteCount), !chunk.isEmpty {
            byteCount += UInt64(chunk.count)
            hash = LogHash([UInt8](chunk), after: hash)
        }
        self.byteCount = byteCount
        self.hash = hash
    }
}
