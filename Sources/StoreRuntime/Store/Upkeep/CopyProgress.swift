import LMDB
import StoreEngine

/// How far a backup or a restore is.
public struct CopyProgress: Hashable, Sendable {
    /// How many bytes are copied.
    public let byteCount: Int
    /// How many bytes the copy will have.
    public let totalByteCount: Int
}

extension FileCopy {
    /// Copies the rest of the file.
    ///
    /// - Parameter onProgress: called after each part. Its error ends the copy. After the last call, the caller removes the file.
    consuming func finish(_ onProgress: (CopyProgress) throws -> Void) throws {
        while try advanced() {
            guard byteCount < totalByteCount else { continue }
            try onProgress(CopyProgress(byteCount: byteCount, totalByteCount: totalByteCount))
        }
        try onProgress(CopyProgress(byteCount: totalByteCount, totalByteCount: totalByteCount))
    }

    private mutating func advanced() throws(StoreError) -> Bool {
        do {
            return try advance()
        } catch {
            throw StoreError(error)
        }
    }
}
