import LMDB
import StoreEngine
import Testing

@Suite struct KeyLimitTests {
    @Test(arguments: 240...300, [KeyHash.publicSeeds, .secret(SipHash(low: 1, high: 2), SipHash(low: 3, high: 4))])
    func `a key past its limit is cut to exactly the limit, and differs where the whole keys do`(
        count: Int, hash: KeyHash
    ) {
        var seen: Set<[UInt8]> = []
        for last in 0..<UInt8(8) {
            let whole = Array(repeating: UInt8(7), count: count - 1) + [last]
            var record = ByteWriter()
            record.append(whole)
            KeyLimit.truncateRecordKey(&record, hash)
            #expect(record.count == min(count, KeyLimit.recordKey))
            #expect(count > KeyLimit.recordKey || record.array() == whole)
            #expect(record.array().prefix(200) == whole.prefix(200))
            #expect(seen.insert(record.array()).inserted)
            var value = ByteWriter()
            value.append([1, 2, 3])
            value.append(whole)
            let isTruncated = KeyLimit.truncateIndexValue(&value, from: 3, hash)
            // A complete value part is always shorter than a truncated one, so the two cannot be confused.
            #expect(isTruncated == (count >= KeyLimit.indexValue))
            #expect(value.count == 3 + min(count, KeyLimit.indexValue))
            #expect(value.array().prefix(3) == [1, 2, 3])
        }
    }

    @Test func `a secret reads back, and one flipped bit or another length does not`() throws {
        let hash = KeyHash.random()
        let bytes = try #require(hash.bytes)
        #expect(bytes.count == 40)
        #expect(try unsafe KeyHash(bytes.span.bytes) == hash)
        #expect(KeyHash.publicSeeds.bytes == nil)
        for bit in 0..<8 * bytes.count {
            var flipped = bytes
            flipped[bit / 8] ^= 1 << (bit % 8)
            #expect(throws: CodecError.self) { try unsafe KeyHash(flipped.span.bytes) }
        }
        for count in [0, 16, 32, 39, 41] {
            let other = Array((bytes + [0]).prefix(count))
            #expect(throws: CodecError.self) { try unsafe KeyHash(other.span.bytes) }
        }
    }

    @Test func `the hashes of a key are two of SipHash-2-4, under the two keys of the secret`() {
        let (first, second) = (SipHash(low: 1, high: 2), SipHash(low: 3, high: 4))
        let whole = (0..<400).map { UInt8(truncatingIfNeeded: $0) }
        var key = ByteWriter()
        key.append(whole)
        KeyLimit.truncateRecordKey(&key, .secret(first, second))
        var expected = ByteWriter()
        expected.append(Array(whole.prefix(239)))
        expected.append(bigEndian: unsafe first.hash(whole.span.bytes))
        expected.append(bigEndian: unsafe second.hash(whole.span.bytes))
        #expect(key.array() == expected.array())
    }

    @Test func `the longest value and record key fit a key of LMDB`() {
        #expect(KeyLimit.indexValue + KeyLimit.recordKey <= 511)
    }
}
