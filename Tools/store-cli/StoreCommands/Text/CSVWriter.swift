/// Writes CSV by RFC 4180 that ``CSVReader`` reads back as the same values.
///
/// A field is quoted if it needs quotes. No value is an empty field and an empty text is `""`, so both are preserved.
package struct CSVWriter {
    /// The end of a line.
    package enum LineEnding {
        /// The line end that other programs on this system expect.
        case lf
        /// The line end that the RFC and spreadsheets expect.
        case crlf
    }

    /// The bytes written so far.
    package private(set) var bytes: [UInt8] = []
    private let separator: UInt8
    private let lineEnding: LineEnding

    /// Creates a writer without content.
    package init(separator: Unicode.Scalar = ",", lineEnding: LineEnding = .lf) {
        precondition(separator.isASCII && !["\"", "\r", "\n"].contains(separator), "this cannot separate fields")
        self.separator = UInt8(ascii: separator)
        self.lineEnding = lineEnding
    }

    /// Appends a record; nil is a field without a value.
    package mutating func append(_ fields: [String?]) {
        for (index, field) in fields.enumerated() {
            if index > 0 { bytes.append(separator) }
            if let field { append(field) }
        }
        if lineEnding == .crlf { bytes.append(UInt8(ascii: "\r")) }
        bytes.append(UInt8(ascii: "\n"))
    }

    /// Removes the bytes and keeps their memory, for a caller that passes on one piece at a time.
    mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    private mutating func append(_ field: String) {
        guard needsQuotes(field) else { return bytes.append(contentsOf: field.utf8) }
        let quote = UInt8(ascii: "\"")
        bytes.append(quote)
        for byte in field.utf8 {
            if byte == quote { bytes.append(quote) }
            bytes.append(byte)
        }
        bytes.append(quote)
    }

    private func needsQuotes(_ field: String) -> Bool {
        guard let first = field.utf8.first, let last = field.utf8.last else { return true }
        // Some programs remove spaces at the ends of a field. A byte order mark at the start may be removed by any reader.
        if first == UInt8(ascii: " ") || last == UInt8(ascii: " ") || field.unicodeScalars.first == "\u{FEFF}" {
            return true
        }
        return field.utf8.contains { byte in
            byte == separator || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
        }
    }
}
