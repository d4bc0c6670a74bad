package import LMDB

/// Reads change sets from the feed database and checks their chained hashes.
package enum FeedReader {
    /// Returns the change set with this sequence number; nil if there is none.
    ///
    /// - Throws: ``StoreError`` with the code `damaged` when a fragment is missing or its hash does not match.
    package static func entry(
        _ sequence: UInt64, in database: LMDBDatabase, _ snapshot: LMDBSnapshot
    ) throws(StoreError) -> FeedEntry? {
        guard let found = try stream(sequence, in: database, snapshot) else { return nil }
        do {
            return unsafe try FeedEntry(sequence: sequence, hash: found.hash, stream: found.bytes.span.bytes)
        } catch {
            throw StoreError(error, at: "change set \(sequence) of the feed")
        }
    }

    /// Returns the bytes of the change set with this sequence number, without their division into fragments, and its hash.
    /// Returns nil if there is none.
    ///
    /// - Throws: ``StoreError`` with the code `damaged` when a fragment is missing or its hash does not match.
    package static func stream(
        _ sequence: UInt64, in database: LMDBDatabase, _ snapshot: LMDBSnapshot
    ) throws(StoreError) -> (bytes: [UInt8], hash: UInt64)? {
        var stream = ByteWriter(capacity: 4_096)
        var chain = FragmentChain(sequence: sequence, after: nil)
        do {
            var cursor = try snapshot.openCursor(database)
            guard unsafe try cursor.seek(exactly: chain.nextKey.span.bytes) else { return nil }
            while true {
                stream.append(try chain.take(key: cursor.key, value: cursor.value))
                if chain.isComplete { break }
                guard try cursor.next() else { throw CodecError("its next fragment is missing") }
            }
            return (stream.array(), chain.hash ?? 0)
        } catch let error as LMDBError {
            throw StoreError(error)
        } catch let error as CodecError {
            throw StoreError(error, at: "change set \(sequence) of the feed")
        } catch {
            throw StoreError(.other, "\(error)")
        }
    }

    /// Returns the header of a retained change set.
    ///
    /// - Throws: ``StoreError`` with the code `damaged` when the change set is missing or its header cannot be decoded.
    static func header(
        _ sequence: UInt64, in database: LMDBDatabase, _ snapshot: LMDBSnapshot
    ) throws(StoreError) -> FeedEntryHeader {
        var key = ByteWriter(capacity: 16)
        key.append(bigEndian: sequence)
        key.append(bigEndian: UInt32(0))
        do {
            guard let value = try snapshot.get(database, key: key.bytes) else {
                throw CodecError("its first fragment is missing")
            }
            var reader = ByteReader(try FeedFragment(key: key.bytes, value: value).stream)
            return try FeedEntryHeader(from: &reader)
        } catch let error as CodecError {
            throw StoreError(error, at: "change set \(sequence) of the feed")
        } catch {
            throw StoreError(reading: error, at: "the feed")
        }
    }
}

/// One stored fragment of a change set.
@safe
package struct FeedFragment: ~Escapable {
    package let sequence: UInt64
    package let fragment: UInt32
    package let isLast: Bool
    /// The fragment's part of the entry's stream.
    package let stream: RawSpan
    /// The stored hash of the fragment.
    package let storedHash: UInt64
    private let hashed: RawSpan

    @_lifetime(copy value)
    package init(key: RawSpan, value: RawSpan) throws(CodecError) {
        guard key.byteCount == 12 else { throw CodecError("a fragment has a key of \(key.byteCount) bytes") }
        sequence = try key.loadInteger(at: 0, as: UInt64.self).byteSwapped
        fragment = try key.loadInteger(at: 8, as: UInt32.self).byteSwapped
        storedHash = try value.loadInteger(at: 0, as: UInt64.self)
        let last = try value.loadInteger(at: 8, as: UInt8.self)
        guard last <= 1 else { throw CodecError("the mark of a last fragment is neither 0 nor 1") }
        isLast = last == 1
        hashed = value.extracting(8..<value.byteCount)
        stream = value.extracting(9..<value.byteCount)
    }

    /// Returns the stored hash, if it matches the fragment's bytes and the previous hash.
    package func verifiedHash(seed: UInt64) throws(CodecError) -> UInt64 {
        guard computedHash(seed: seed) == storedHash else {
            throw CodecError("the hash of fragment \(fragment) does not match its bytes and the previous change set")
        }
        return storedHash
    }

    /// Returns the hash that the fragment must have after a previous hash of `seed`.
    package func computedHash(seed: UInt64) -> UInt64 { XXH64.hash(hashed, seed: seed) }

    /// Returns the hash of the previous change set, from the stream of a first fragment.
    package static func previousHash(inFirst stream: RawSpan) throws(CodecError) -> UInt64 {
        try stream.loadInteger(at: 18, as: UInt64.self)
    }
}
