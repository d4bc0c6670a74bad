/// Reads CSV by RFC 4180 from chunks of any size, one record at a time.
///
/// Lines end with CRLF or LF. The reader skips a byte order mark at the start. It also skips empty lines, unless the file has a
/// single column: there an empty line is a record without a value. Every record must have as many fields as the first.
///
/// After an error, reading continues with the next line, so that a caller can skip bad records. An unclosed quote and a record
/// past the size limit end the file instead, because the start of the next record is unknown.
package struct CSVReader {
    /// Returns the next bytes of the file, none at its end.
    package typealias Source = () throws -> [UInt8]

    private static let quote = UInt8(ascii: "\"")
    private static let carriageReturn = UInt8(ascii: "\r")
    private static let lineFeed = UInt8(ascii: "\n")

    private let source: Source
    private let separator: UInt8
    private let maximumRecordBytes: Int
    private var chunk: [UInt8] = []
    private var position = 0
    private var sourceEnded = false
    private var line = 1
    private var column = 1
    private var recordLine = 1
    private var recordBytes = 0
    private var fieldCount: Int?
    private var mustSkipLine = false
    private var isAtStart = true

    /// Creates a reader of the bytes from `source`. A record larger than `maximumRecordBytes` counts as an unclosed quote.
    package init(separator: Unicode.Scalar = ",", maximumRecordBytes: Int = 1 << 26, source: @escaping Source) {
        precondition(separator.isASCII && !["\"", "\r", "\n"].contains(separator), "this cannot separate fields")
        self.source = source
        self.separator = UInt8(ascii: separator)
        self.maximumRecordBytes = maximumRecordBytes
    }

    /// Creates a reader of `bytes`.
    package init(separator: Unicode.Scalar = ",", bytes: [UInt8]) {
        var rest: [UInt8]? = bytes
        self.init(separator: separator) {
            defer { rest = nil }
            return rest ?? []
        }
    }

    /// Returns the next record, or nil at the end. Throws ``CSVError``, or any error of the source.
    package mutating func next() throws -> CSVRecord? {
        if isAtStart { try skipByteOrderMark() }
        if mustSkipLine { try skipLine() }
        while try peek() != nil {
            recordLine = line
            recordBytes = 0
            let record = CSVRecord(line: line, fields: try readFields())
            let isEmptyLine = record.fields.count == 1 && record.fields[0].value == nil
            if isEmptyLine, fieldCount != 1 { continue }
            let expected = fieldCount ?? record.fields.count
            fieldCount = expected
            guard record.fields.count == expected else {
                throw CSVError(
                    line: recordLine, column: 1, recordLine: recordLine,
                    reason: "expected \(expected) fields, found \(record.fields.count)")
            }
            return record
        }
        return nil
    }

    private mutating func readFields() throws -> [CSVField] {
        var fields: [CSVField] = []
        fields.reserveCapacity(fieldCount ?? 0)
        while true {
            fields.append(try peek() == Self.quote ? readQuotedField() : readBareField())
            guard let byte = try peek() else { return fields }
            if byte == separator {
                advance(1)
            } else {
                try readLineEnd()
                return fields
            }
        }
    }

    private mutating func readBareField() throws -> CSVField {
        let (startLine, startColumn) = (line, column)
        var bytes: [UInt8] = []
        while try peek() != nil {
            var end = position
            while end < chunk.count, !isSpecial(chunk[end]) { end += 1 }
            try take(to: end, into: &bytes)
            guard position < chunk.count else { continue }
            if chunk[position] == Self.quote {
                throw mistake("a quote within a field that does not begin with one")
            }
            break
        }
        return CSVField(text: try text(bytes, line: startLine, column: startColumn, isQuoted: false), isQuoted: false)
    }

    private mutating func readQuotedField() throws -> CSVField {
        let (startLine, startColumn) = (line, column)
        advance(1)
        var bytes: [UInt8] = []
        while try peek() != nil {
            var end = position
            while end < chunk.count, chunk[end] != Self.quote, chunk[end] != Self.lineFeed { end += 1 }
            try take(to: end, into: &bytes)
            guard position < chunk.count else { continue }
            if chunk[position] == Self.lineFeed {
                bytes.append(Self.lineFeed)
                advanceLine()
                continue
            }
            advance(1)
            guard try peek() == Self.quote else {
                let text = try text(bytes, line: startLine, column: startColumn, isQuoted: true)
                return CSVField(text: text, isQuoted: true)
            }
            bytes.append(Self.quote)
            advance(1)
        }
        throw CSVError(
            line: startLine, column: startColumn, recordLine: recordLine, reason: "this quote is never closed")
    }

    /// Skips the end of a line. Nothing else is allowed here.
    private mutating func readLineEnd() throws {
        if try peek() == Self.carriageReturn {
            let (startLine, startColumn) = (line, column)
            advance(1)
            // At the very end of a file, a carriage return ends the last line.
            guard let next = try peek() else { return }
            guard next == Self.lineFeed else {
                mustSkipLine = true
                throw CSVError(
                    line: startLine, column: startColumn, recordLine: recordLine,
                    reason: "a carriage return without a line feed outside quotes")
            }
        }
        guard try peek() == Self.lineFeed else {
            throw mistake("expected a separator or the line's end after the closing quote")
        }
        advanceLine()
    }

    private func isSpecial(_ byte: UInt8) -> Bool {
        byte == separator || byte == Self.quote || byte == Self.lineFeed || byte == Self.carriageReturn
    }

    // MARK: Bytes

    /// Returns the next byte, from the source if the chunk is used up; nil at the end.
    private mutating func peek() throws -> UInt8? {
        if position < chunk.count { return chunk[position] }
        guard !sourceEnded else { return nil }
        chunk = try source()
        position = 0
        sourceEnded = chunk.isEmpty
        return chunk.first
    }

    /// Takes the chunk's bytes up to `end`, which must lie within the line.
    private mutating func take(to end: Int, into bytes: inout [UInt8]) throws {
        let slice = chunk[position..<end]
        bytes.append(contentsOf: slice)
        column += scalarCount(slice)
        position = end
        recordBytes += slice.count
        guard recordBytes <= maximumRecordBytes else {
            endFile()
            throw CSVError(
                line: recordLine, column: 1, recordLine: recordLine,
                reason: "this record is larger than \(maximumRecordBytes) bytes; is a quote not closed?")
        }
    }

    private mutating func advance(_ count: Int) {
        position += count
        column += count
        recordBytes += count
    }

    private mutating func advanceLine() {
        position += 1
        recordBytes += 1
        line += 1
        column = 1
    }

    private mutating func skipLine() throws {
        mustSkipLine = false
        while let byte = try peek() {
            if byte == Self.lineFeed { return advanceLine() }
            advance(1)
        }
    }

    private mutating func skipByteOrderMark() throws {
        isAtStart = false
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        guard try peek() == mark[0] else { return }
        // The mark may be split across chunks.
        while chunk.count < mark.count {
            let more = try source()
            if more.isEmpty { break }
            chunk += more
        }
        if chunk.starts(with: mark) { position = mark.count }
    }

    private mutating func endFile() {
        chunk = []
        position = 0
        sourceEnded = true
    }

    // MARK: Errors

    /// Returns an error at the current position. Reading continues with the next line after it.
    private mutating func mistake(_ reason: String) -> CSVError {
        mustSkipLine = true
        return CSVError(line: line, column: column, recordLine: recordLine, reason: reason)
    }

    /// Returns a field's bytes as text. `line` and `column` are the start of the field.
    private mutating func text(_ bytes: [UInt8], line: Int, column: Int, isQuoted: Bool) throws -> String {
        do {
            return String(copying: try UTF8Span(validating: bytes.span))
        } catch {
            mustSkipLine = true
            var mistake = CSVError(
                line: line, column: column + (isQuoted ? 1 : 0), recordLine: recordLine,
                reason: "these bytes are not UTF-8")
            for byte in bytes[..<error.byteOffsets.lowerBound] {
                if byte == Self.lineFeed {
                    mistake.line += 1
                    mistake.column = 1
                } else if byte & 0xC0 != 0x80 {
                    // A quote within a quoted field takes two characters.
                    mistake.column += byte == Self.quote ? 2 : 1
                }
            }
            throw mistake
        }
    }

    private func scalarCount(_ bytes: ArraySlice<UInt8>) -> Int {
        bytes.reduce(0) { $0 + ($1 & 0xC0 == 0x80 ? 0 : 1) }
    }
}
