package import LMDB

/// How a store hashes the whole of a key that is too long for LMDB.
package enum KeyHash: Hashable, Sendable {
    /// Two XXH64 hashes under public seeds, in stores of the formats 1 to 3. A program can compute different keys that have equal
    /// hashes.
    ///
    /// The feed of every store contains these hashes, so that stores with different secrets have equal feeds.
    case publicSeeds
    /// Two SipHash-2-4 hashes under the secret of the store, since format 4.
    case secret(SipHash, SipHash)

    /// The number of bytes of a secret.
    private static let secretByteCount = 32

    /// Returns a hash with a new secret.
    package static func random() -> KeyHash { .secret(.random(), .random()) }

    /// Appends the hashes of the bytes from `start`, and keeps only the first `kept` of these bytes.
    func cut(_ writer: inout ByteWriter, from start: Int, keeping kept: Int) {
        let (first, second) = halves(of: writer.bytes.extracting(start..<writer.count))
        writer.truncate(to: start + kept)
        writer.append(bigEndian: first)
        writer.append(bigEndian: second)
    }

    private func halves(of whole: RawSpan) -> (UInt64, UInt64) {
        switch self {
        case .publicSeeds: (XXH64.hash(whole, seed: 0), XXH64.hash(whole, seed: 0x9E37_79B9_7F4A_7C15))
        case .secret(let first, let second): (first.hash(whole), second.hash(whole))
        }
    }
}

// The form in the metadata: the two keys of SipHash, and XXH64 of them. A flipped bit in the secret would make all records with
// long ids unreachable, so it must be found.
extension KeyHash {
    /// Reads the secret of a store.
    package init(_ bytes: RawSpan) throws(CodecError) {
        guard bytes.byteCount == Self.secretByteCount + 8 else {
            throw CodecError("\(Self.secretByteCount + 8) bytes were expected, but \(bytes.byteCount) were found")
        }
        guard
            XXH64.hash(bytes.extracting(0..<Self.secretByteCount))
                == (try bytes.loadInteger(at: Self.secretByteCount, as: UInt64.self))
        else { throw CodecError("its checksum does not match") }
        var reader = ByteReader(bytes)
        let first = SipHash(low: try reader.read(), high: try reader.read())
        self = .secret(first, SipHash(low: try reader.read(), high: try reader.read()))
    }

    /// The secret as bytes; nil without one.
    package var bytes: [UInt8]? {
        guard case .secret(let first, let second) = self else { return nil }
        var writer = ByteWriter(capacity: 64)
        for word in [first.low, first.high, second.low, second.high] { writer.append(word) }
        writer.append(XXH64.hash(writer.bytes))
        return writer.array()
    }
}
