/// A row of a live result. The same object stays in the result for as long as nothing about the row changes.
package final class LiveRow: Sendable {
    /// Where the row stands: the bytes of places compare as the rows are ordered. The sort key, then the key of the id, which is
    /// not truncated, turned around where ids descend.
    package let sortKey: [UInt8]
    /// The record's key.
    package let key: [UInt8]
    /// The record.
    package let content: RecordContent
    /// What stands behind references in the fields of other records that the request names, in their order.
    package let followed: [DynamicValue]

    /// The place's beginning, which tells most rows apart without another look into memory.
    let word: UInt64

    package init(sortKey: [UInt8], key: [UInt8], content: RecordContent, followed: [DynamicValue] = []) {
        self.sortKey = sortKey
        self.followed = followed
        word = sortKey.leadingWord
        self.key = key
        self.content = content
    }

    /// Negative, zero or positive as the row comes before a place, stands there, or comes after it.
    func compared(to sortKey: [UInt8]) -> Int { compared(to: sortKey, word: sortKey.leadingWord) }

    /// The same, where the first bytes of the place are known as a number.
    func compared(to sortKey: [UInt8], word: UInt64) -> Int {
        if self.word != word { return self.word < word ? -1 : 1 }
        return self.sortKey.compared(to: sortKey)
    }
}

extension [UInt8] {
    /// The first eight bytes as a number that compares as they do; zeros stand for those that are not there.
    var leadingWord: UInt64 {
        var word: UInt64 = 0
        for offset in 0..<8 { word = word << 8 | (offset < count ? UInt64(self[offset]) : 0) }
        return word
    }

    /// Negative, zero or positive as these bytes come before, equal or follow others; a prefix comes before.
    func compared(to other: [UInt8]) -> Int { unsafe span.bytes.compared(to: other.span.bytes) }
}
