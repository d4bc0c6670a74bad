/// What the keys of an index entry tell of its record, as a field table. Used again for each entry, so that a walk takes no memory
/// for one.
struct CoveredFields: ~Copyable {
    /// Ends are written in two bytes each: no key is as long as they can tell.
    private static let endByteCount = 2

    private var writer = ByteWriter(capacity: 0)
    private var dataStart = 0

    /// The table, valid until the next mutation.
    var tableBytes: RawSpan {
        @_lifetime(borrow self)
        borrowing get { writer.bytes }
    }

    /// Begins with no fields; `count` of them, which is the same each time, follow.
    mutating func begin(count: Int) {
        if dataStart == 0 {
            writer.append(byte: UInt8(Self.endByteCount))
            writer.append(UInt16(truncatingIfNeeded: count))
            for _ in 0..<count { writer.append(UInt16(0)) }
            dataStart = writer.count
        }
        writer.truncate(to: dataStart)
    }

    /// Appends field `number`, an integer of 64 bits.
    mutating func append(_ word: UInt64, number: Int) {
        writer.append(word)
        end(number)
    }

    /// Appends field `number` from a part of a key.
    ///
    /// - Returns: false where the key does not tell it.
    mutating func append(
        _ component: KeyComponent, of type: FieldType, from key: RawSpan, at offset: inout Int, number: Int
    ) throws(CodecError) -> Bool {
        guard try component.appendField(of: type, from: key, at: &offset, to: &writer) else { return false }
        end(number)
        return true
    }

    private mutating func end(_ number: Int) {
        writer.overwrite(
            UInt16(truncatingIfNeeded: writer.count - dataStart),
            at: FieldTable.prefixByteCount + Self.endByteCount * number)
    }
}
