/// Converts between values of a stored type and values of a declared type that is a part of it.
///
/// The parts that the program does not declare come from the value that was stored before, or else are the default or nil. An
/// array element takes them from the old element that matches its declared part or its position (``ElementMatch``). A value in a
/// dictionary takes them from the old value under its key.
package indirect enum PartialForm: Sendable {
    /// The declared bytes are the stored bytes.
    case whole
    /// The value in an optional.
    case optional(PartialForm)
    /// Each element of an array. The elements have no fixed size.
    case array(PartialForm)
    /// Each value of a dictionary with keys of this type. The values have no fixed size.
    case dictionary(FieldType, PartialForm)
    /// The declared fields of a struct, and the bytes of its other fields if no value was stored before.
    case embedded([PartialForm], filling: [[UInt8]])

    /// Creates the form for a declared type that ``FieldCoverage`` reports as covered.
    package init(_ stored: FieldType, declared: FieldType) {
        guard let coverage = FieldCoverage(stored, declared: declared), coverage != .whole else {
            self = .whole
            return
        }
        switch (stored, declared) {
        case (.optional(let stored), .optional(let declared)): self = .optional(PartialForm(stored, declared: declared))
        case (.array(let stored), .array(let declared)): self = .array(PartialForm(stored, declared: declared))
        case (.dictionary(let key, let stored), .dictionary(_, let declared)):
            self = .dictionary(key, PartialForm(stored, declared: declared))
        case (.embedded(let stored), .embedded(let declared)):
            self = .embedded(
                zip(stored.fields, declared.fields).map { PartialForm($0.type, declared: $1.type) },
                filling: stored.fields.dropFirst(declared.fields.count).map { $0.fillingBytes(now: nil) ?? [] })
        default: self = .whole
        }
    }
}

// Completes declared values with stored parts.
extension PartialForm {
    /// Appends the stored form of a declared value.
    ///
    /// - Parameter stored: the value that was stored before; nil if there was none.
    /// - Throws: ``CodecError`` if the bytes do not encode a value of their type.
    package func complete(_ value: RawSpan, with stored: RawSpan?, to writer: inout ByteWriter) throws(CodecError) {
        switch self {
        case .whole: writer.append(value)
        case .optional(let form):
            guard value.byteCount > 0 else { return }
            writer.append(byte: 1)
            try form.complete(
                value.extracting(1..<value.byteCount), with: PartialForm.content(stored), to: &writer)
        case .array(let form): try form.completeArray(value, with: stored, to: &writer)
        case .dictionary(let key, let form):
            try form.completeDictionary(value, with: stored, keys: key, to: &writer)
        case .embedded(let forms, let filling):
            var encoder = FieldEncoder()
            encoder.begin(fieldCount: forms.count + filling.count)
            let table = try FieldTable(value)
            for (fieldIndex, form) in forms.enumerated() {
                var field = ByteWriter(capacity: 32)
                try form.complete(table.field(fieldIndex), with: PartialForm.field(fieldIndex, of: stored), to: &field)
                encoder.append(encoded: field.bytes)
            }
            for (number, bytes) in filling.enumerated() {
                if let field = try PartialForm.field(forms.count + number, of: stored) {
                    encoder.append(encoded: field)
                } else {
                    unsafe encoder.append(encoded: bytes.span.bytes)
                }
            }
            try encoder.finish()
            writer.append(encoder.bytes)
        }
    }

    private func completeArray(
        _ array: RawSpan, with stored: RawSpan?, to writer: inout ByteWriter
    ) throws(CodecError) {
        let elements = try PartialForm.elements(array)
        var old: [[UInt8]] = []
        if let stored { old = try PartialForm.elements(stored) }
        var declared: [[UInt8]] = []
        for element in old {
            var part = ByteWriter(capacity: 32)
            unsafe try reduce(element.span.bytes, to: &part)
            declared.append(part.array())
        }
        for (element, index) in zip(elements, ElementMatch.indexes(of: elements, among: declared)) {
            try complete(element, with: index.map { old[$0] }, to: &writer)
        }
    }

    private func completeDictionary(
        _ dictionary: RawSpan, with stored: RawSpan?, keys: FieldType, to writer: inout ByteWriter
    ) throws(CodecError) {
        var old: [[UInt8]: [UInt8]] = [:]
        if let stored {
            var reader = ByteReader(stored)
            while !reader.isAtEnd {
                let key = try reader.readElement(of: keys).array()
                old[key] = try reader.readLengthPrefixed().array()
            }
        }
        var reader = ByteReader(dictionary)
        while !reader.isAtEnd {
            let key = try reader.readElement(of: keys)
            if keys.fixedByteCount == nil { writer.append(lengthPrefixed: key) } else { writer.append(key) }
            try complete(reader.readLengthPrefixed().array(), with: old[key.array()], to: &writer)
        }
    }

    /// Appends the length and the stored form of an element.
    private func complete(
        _ element: [UInt8], with stored: [UInt8]?, to writer: inout ByteWriter
    ) throws(CodecError) {
        var whole = ByteWriter(capacity: 64)
        if let stored {
            unsafe try complete(element.span.bytes, with: stored.span.bytes, to: &whole)
        } else {
            unsafe try complete(element.span.bytes, with: nil, to: &whole)
        }
        writer.append(lengthPrefixed: whole.bytes)
    }

    private static func elements(_ array: RawSpan) throws(CodecError) -> [[UInt8]] {
        var reader = ByteReader(array)
        var elements: [[UInt8]] = []
        while !reader.isAtEnd { elements.append(try reader.readLengthPrefixed().array()) }
        return elements
    }

    /// Returns the bytes of the value in a stored optional; nil if it holds nil.
    @_lifetime(copy stored)
    private static func content(_ stored: RawSpan?) -> RawSpan? {
        guard let stored, stored.byteCount > 0 else { return nil }
        return stored.extracting(1..<stored.byteCount)
    }

    @_lifetime(copy stored)
    private static func field(_ fieldIndex: Int, of stored: RawSpan?) throws(CodecError) -> RawSpan? {
        guard let stored else { return nil }
        return try FieldTable(stored).field(fieldIndex)
    }
}

// Extracts the declared parts of stored values.
extension PartialForm {
    /// Appends the declared form of a stored value.
    ///
    /// - Throws: ``CodecError`` if the bytes do not encode a value of the stored type.
    package func reduce(_ stored: RawSpan, to writer: inout ByteWriter) throws(CodecError) {
        switch self {
        case .whole: writer.append(stored)
        case .optional(let form):
            guard stored.byteCount > 0 else { return }
            writer.append(byte: 1)
            try form.reduce(stored.extracting(1..<stored.byteCount), to: &writer)
        case .array(let form):
            var reader = ByteReader(stored)
            while !reader.isAtEnd { try form.reduceElement(reader.readLengthPrefixed(), to: &writer) }
        case .dictionary(let keys, let form):
            var reader = ByteReader(stored)
            while !reader.isAtEnd {
                let key = try reader.readElement(of: keys)
                if keys.fixedByteCount == nil { writer.append(lengthPrefixed: key) } else { writer.append(key) }
                try form.reduceElement(reader.readLengthPrefixed(), to: &writer)
            }
        case .embedded(let forms, _):
            var encoder = FieldEncoder()
            encoder.begin(fieldCount: forms.count)
            let table = try FieldTable(stored)
            for (fieldIndex, form) in forms.enumerated() {
                var field = ByteWriter(capacity: 32)
                try form.reduce(table.field(fieldIndex), to: &field)
                encoder.append(encoded: field.bytes)
            }
            try encoder.finish()
            writer.append(encoder.bytes)
        }
    }

    private func reduceElement(_ stored: RawSpan, to writer: inout ByteWriter) throws(CodecError) {
        var part = ByteWriter(capacity: 32)
        try reduce(stored, to: &part)
        writer.append(lengthPrefixed: part.bytes)
    }
}
