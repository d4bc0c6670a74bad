extension KeyComponent {
    /// Reads a field's part of a key from `offset`, moves `offset` past it, and appends the field's encoding.
    ///
    /// - Returns: false if the key does not determine the encoding. All zeros of a float have one key, and so do all NaNs. URLs
    ///   and decimals have details that their keys do not contain. An id of several fields is read from its record.
    /// - Throws: ``CodecError`` when the bytes are not a key of such a field.
    func appendField(
        of type: FieldType, from key: RawSpan, at offset: inout Int, to writer: inout ByteWriter
    ) throws(CodecError) -> Bool {
        switch self {
        case .unsigned(let byteCount), .signed(let byteCount):
            let bytes = try take(byteCount, of: key, at: &offset)
            let isSigned = if case .signed = self { true } else { false }
            for offset in stride(from: byteCount - 1, through: 0, by: -1) {
                let byte = try bytes.loadInteger(at: offset, as: UInt8.self)
                writer.append(byte: isSigned && offset == 0 ? byte ^ 0x80 : byte)
            }
        case .double:
            let ordered = try take(8, of: key, at: &offset).loadInteger(at: 0, as: UInt64.self).byteSwapped
            if ordered == .max || ordered == 1 << 63 { return false }
            writer.append(ordered >> 63 == 1 ? ordered ^ 1 << 63 : ~ordered)
        case .float:
            let ordered = try take(4, of: key, at: &offset).loadInteger(at: 0, as: UInt32.self).byteSwapped
            if ordered == .max || ordered == 1 << 31 { return false }
            writer.append(ordered >> 31 == 1 ? ordered ^ 1 << 31 : ~ordered)
        case .verbatim:
            guard case .uuid = type.unwrapped.rawType else { return false }
            writer.append(try take(16, of: key, at: &offset))
        case .escaped: try appendUnescaped(key, at: &offset, to: &writer)
        case .optional(let wrapped):
            if try take(1, of: key, at: &offset).loadInteger(at: 0, as: UInt8.self) == 0 { return true }
            writer.append(byte: 1)
            return try wrapped.appendField(of: type, from: key, at: &offset, to: &writer)
        case .url, .duration, .composite: return false
        }
        return true
    }

    @_lifetime(copy key)
    private func take(_ count: Int, of key: RawSpan, at offset: inout Int) throws(CodecError) -> RawSpan {
        guard offset + count <= key.byteCount else { throw CodecError("a key ends inside a field") }
        defer { offset += count }
        return key.extracting(offset..<offset + count)
    }

    private func appendUnescaped(
        _ key: RawSpan, at offset: inout Int, to writer: inout ByteWriter
    ) throws(CodecError) {
        while true {
            let byte = try take(1, of: key, at: &offset).loadInteger(at: 0, as: UInt8.self)
            if byte == 0 {
                // The zero byte is either the end of the key part, or an escaped zero in the field.
                guard try take(1, of: key, at: &offset).loadInteger(at: 0, as: UInt8.self) == 0xFF else { return }
            }
            writer.append(byte: byte)
        }
    }
}
