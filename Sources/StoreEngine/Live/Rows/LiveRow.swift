/// A row of a live result. The result keeps the same object as long as nothing about the row changes.
package final class LiveRow: Sendable {
    /// The row's position as bytes that sort as the rows do: the sort key, then the untruncated key of the id. The id's bytes are
    /// inverted where ids descend.
    package let sortKey: [UInt8]
    /// The record's key.
    package let key: [UInt8]
    /// The record.
    package let content: RecordContent
    /// The values of the fields of other records that the request names, in their order.
    package let followed: [DynamicValue]

    /// The first bytes of `sortKey`. They decide most comparisons without another access to memory.
    let word: UInt64

    package init(sortKey: [UInt8], key: [UInt8], content: RecordContent, followed: [DynamicValue] = []) {
        self.sortKey = sortKey
        self.followed = followed
        word = sortKey.leadingWord
        self.key = key
        self.content = content
    }

    /// Returns a negative number, zero or a positive number as the row comes before a position, is at it, or comes after it.
    func compared(to sortKey: [UInt8]) -> Int { compared(to: sortKey, word: sortKey.leadingWord) }

    /// Compares the row with a position whose first bytes are known as a number.
    func compared(to sortKey: [UInt8], word: UInt64) -> Int {
        if self.word != word { return self.word < word ? -1 : 1 }
        return self.sortKey.compared(to: sortKey)
    }
}

extension [UInt8] {
    /// The first eight bytes as a number that compares as the bytes do. Zeros fill the missing bytes.
    var leadingWord: UInt64 {
        var word: UInt64 = 0
        for offset in 0..<8 { word = word << 8 | (offset < count ? UInt64(self[offset]) : 0) }
        return word
    }

    /// Returns a negative number, zero or a positive number as these bytes come before, equal or come after the others. A prefix
    /// comes first.
    func compared(to other: [UInt8]) -> Int { unsafe span.bytes.compared(to: other.span.bytes) }
}
