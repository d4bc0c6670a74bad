/// The first eight bytes of a field's sort key as a number. A smaller number comes first in the requested order; equal numbers
/// decide nothing.
///
/// A sort of many records that keeps few compares only this word for most of them. So the way to make the word is chosen once,
/// not for each record.
struct SortWord {
    private let part: SortPart
    private let fieldIndex: Int
    /// Whether the field belongs to the record itself and every record has it.
    private let isPlain: Bool
    private let mayBeNone: Bool
    private let form: KeyWordForm?
    /// Inverts the bits of the word for a descending order.
    private let mask: UInt64

    init(_ part: SortPart) {
        self.part = part
        fieldIndex = part.access.fieldIndex
        isPlain = part.path == nil && part.access.nested.isEmpty && !part.access.isOptionalItself
        mayBeNone = part.access.mayBeNone
        form = part.component.wordForm
        mask = part.isDescending ? .max : 0
    }

    /// Returns the word of a record. If the key is shorter than eight bytes, zeros fill the rest.
    ///
    /// - Parameter scratch: a buffer.
    @inline(__always)
    func callAsFunction(_ table: FieldTable, scratch: inout ByteWriter) throws(CodecError) -> UInt64 {
        if isPlain, let form, let word = try form.word(table.field(fieldIndex)) { return word ^ mask }
        return try rareWord(table, &scratch) ^ mask
    }

    @inline(never)
    private func rareWord(_ table: FieldTable, _ scratch: inout ByteWriter) throws(CodecError) -> UInt64 {
        // The word is unknown without a lookup of the other record.
        if part.path != nil { return mask }
        let value = try part.access.bytes(table)
        if let value, let form, let word = try form.word(value) { return mayBeNone ? word >> 8 | 1 << 56 : word }
        scratch.removeAll()
        try part.appendKey(of: value, to: &scratch)
        while scratch.count < 8 { scratch.append(byte: 0) }
        return try scratch.bytes.loadInteger(at: 0, as: UInt64.self).byteSwapped
    }
}

/// How to read the first eight bytes of a key from a field without making the key.
enum KeyWordForm {
    case signed
    case unsigned
    case double
    case escaped

    /// Returns the word; nil where the key must be made first.
    @inline(__always)
    func word(_ field: RawSpan) throws(CodecError) -> UInt64? {
        switch self {
        case .signed: return try UInt64(bitPattern: field.loadInteger(at: 0, as: Int64.self)) ^ 1 << 63
        case .unsigned: return try field.loadInteger(at: 0, as: UInt64.self)
        case .double: return try Double(from: field).orderedBits
        case .escaped:
            guard field.byteCount >= 8 else { return nil }
            let word = try field.loadInteger(at: 0, as: UInt64.self)
            // If none of these bytes is zero, they are the first bytes of the key.
            let zeros = (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080
            return zeros == 0 ? word.byteSwapped : nil
        }
    }
}

extension KeyComponent {
    /// How to read the first eight bytes of the key in place; nil where that is not possible.
    fileprivate var wordForm: KeyWordForm? {
        switch self {
        case .signed(byteCount: 8): .signed
        case .unsigned(byteCount: 8): .unsigned
        case .double: .double
        case .escaped: .escaped
        default: nil
        }
    }
}
