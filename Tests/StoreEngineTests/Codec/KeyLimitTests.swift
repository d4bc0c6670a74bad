import StoreEngine
import Testing

@Suite struct KeyLimitTests {
    @Test(arguments: 240...300)
    func `a key past its limit is cut to exactly the limit, and differs where the whole keys do`(count: Int) {
        var seen: Set<[UInt8]> = []
        for last in 0..<UInt8(8) {
            let whole = Array(repeating: UInt8(7), count: count - 1) + [last]
            var record = ByteWriter()
            record.append(whole)
            KeyLimit.truncateRecordKey(&record)
            #expect(record.count == min(count, KeyLimit.recordKey))
            #expect(count > KeyLimit.recordKey || record.array() == whole)
            #expect(record.array().prefix(200) == whole.prefix(200))
            #expect(seen.insert(record.array()).inserted)
            var value = ByteWriter()
            value.append([1, 2, 3])
            value.append(whole)
            let isTruncated = KeyLimit.truncateIndexValue(&value, from: 3)
            // A complete value part is always shorter than a truncated one, so the two cannot be confused.
            #expect(isTruncated == (count >= KeyLimit.indexValue))
            #expect(value.count == 3 + min(count, KeyLimit.indexValue))
            #expect(value.array().prefix(3) == [1, 2, 3])
        }
    }

    @Test func `the longest value and record key fit a key of LMDB`() {
        #expect(KeyLimit.indexValue + KeyLimit.recordKey <= 511)
    }
}
