/// A row of a live result. The same object stays in the result for as long as nothing about the row changes.
package final class LiveRow: Sendable {
    /// Where the row stands: the bytes of places compare as the rows are ordered. The sort key, then the record's key, turned
    /// around where ids descend.
    package let place: [UInt8]
    /// The record's key.
    package let key: [UInt8]
    /// The record.
    package let content: RecordContent

    package init(place: [UInt8], key: [UInt8], content: RecordContent) {
        self.place = place
        self.key = key
        self.content = content
    }

    /// Negative, zero or positive as the row comes before a place, stands there, or comes after it.
    func compared(to place: [UInt8]) -> Int { self.place.compared(to: place) }
}

extension [UInt8] {
    /// Negative, zero or positive as these bytes come before, equal or follow others; a prefix comes before.
    func compared(to other: [UInt8]) -> Int { unsafe span.bytes.compared(to: other.span.bytes) }
}
