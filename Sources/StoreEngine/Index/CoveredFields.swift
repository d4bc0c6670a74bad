/// The fields of a record that the key of an index entry contains, as a field table. A walk reuses it for each entry, so that an
/// entry allocates no memory.
struct CoveredFields: ~Copyable {
    /// Each end offset takes two bytes, because every key is shorter than the largest offset that two bytes can hold.
    private static let endByteCount = 2

    private var writer = ByteWriter(capacity: 0)
    private var dataStart = 0

    /// The table, valid until the next mutation.
    var tableBytes: RawSpan {
        @_lifetime(borrow self)
        borrowing get { writer.bytes }
    }

    /// Begins without fields. The caller then appends `count` fields, the same number each time.
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
    /// - Returns: false if the key does not determine the field.
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
