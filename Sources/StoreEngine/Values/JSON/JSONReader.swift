/// Reads one JSON text, strictly by RFC 8259.
///
/// Each of these is an error that states its position:
///
/// - invalid UTF-8
/// - an escape of half a surrogate pair
/// - a duplicate key
/// - a byte order mark
/// - text after the value
/// - nesting deeper than a limit
///
/// The reader works on contiguous bytes and does not copy them. It validates and copies a string without escapes once.
@safe
package struct JSONReader: ~Escapable {
    /// The default limit for the nesting of arrays and objects. It bounds the stack that the reader uses.
    package static let defaultMaximumDepth = 512

    private let bytes: Span<UInt8>
    private let firstLine: Int
    private let maximumDepth: Int
    private var position = 0
    private var depth = 0

    @_lifetime(copy bytes)
    private init(_ bytes: Span<UInt8>, firstLine: Int, maximumDepth: Int) {
        self.bytes = bytes
        self.firstLine = firstLine
        self.maximumDepth = maximumDepth
    }

    /// Returns the value that all of `bytes` form.
    ///
    /// - Parameters:
    ///   - firstLine: the number of the first line, for a text within a file.
    ///   - maximumDepth: the limit for the nesting of arrays and objects.
    package static func read(
        _ bytes: Span<UInt8>, firstLine: Int = 1, maximumDepth: Int = defaultMaximumDepth
    ) throws(JSONError) -> JSONValue {
        precondition(maximumDepth >= 0, "a depth is not negative")
        var reader = JSONReader(bytes, firstLine: firstLine, maximumDepth: maximumDepth)
        let value = try reader.readValue()
        reader.skipSpace()
        guard reader.position == bytes.count else { throw reader.expected("the end") }
        return value
    }

    /// Returns the value that all of `bytes` form.
    package static func read(
        _ bytes: [UInt8], firstLine: Int = 1, maximumDepth: Int = defaultMaximumDepth
    ) throws(JSONError) -> JSONValue {
        try read(bytes.span, firstLine: firstLine, maximumDepth: maximumDepth)
    }

    /// Returns the value that all of `text` forms.
    package static func read(
        _ text: String, firstLine: Int = 1, maximumDepth: Int = defaultMaximumDepth
    ) throws(JSONError) -> JSONValue {
        try read(text.utf8.span, firstLine: firstLine, maximumDepth: maximumDepth)
    }

    // MARK: Values

    private mutating func readValue() throws(JSONError) -> JSONValue {
        skipSpace()
        guard position < bytes.count else { throw expected("a value") }
        switch bytes[position] {
        case UInt8(ascii: "{"): return .object(try readMembers())
        case UInt8(ascii: "["): return .array(try readElements())
        case UInt8(ascii: "\""): return .string(try readString())
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try readNumber())
        case UInt8(ascii: "t"): return try readWord("true", .bool(true))
        case UInt8(ascii: "f"): return try readWord("false", .bool(false))
        case UInt8(ascii: "n"): return try readWord("null", .null)
        default: throw expected("a value")
        }
    }

    private mutating func readWord(_ word: StaticString, _ value: JSONValue) throws(JSONError) -> JSONValue {
        let text = String(describing: word)
        var end = position
        for byte in text.utf8 {
            guard end < bytes.count, bytes[end] == byte else { throw expected("a value such as “\(text)”") }
            end += 1
        }
        position = end
        return value
    }

    private mutating func readElements() throws(JSONError) -> [JSONValue] {
        try enter()
        var elements: [JSONValue] = []
        skipSpace()
        if skip(UInt8(ascii: "]")) { return leave(with: elements) }
        while true {
            elements.append(try readValue())
            skipSpace()
            if skip(UInt8(ascii: "]")) { return leave(with: elements) }
            guard skip(UInt8(ascii: ",")) else { throw expected("“,” or “]”") }
        }
    }

    private mutating func readMembers() throws(JSONError) -> [JSONMember] {
        try enter()
        var members: [JSONMember] = []
        var keys = SeenKeys()
        skipSpace()
        if skip(UInt8(ascii: "}")) { return leave(with: members) }
        while true {
            skipSpace()
            let start = position
            guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else {
                throw expected(members.isEmpty ? "a key in quotes or “}”" : "a key in quotes")
            }
            let key = try readString()
            guard keys.insert(key, besides: members) else { throw error("the key “\(key)” occurs twice", at: start) }
            skipSpace()
            guard skip(UInt8(ascii: ":")) else { throw expected("“:”") }
            members.append(JSONMember(key, try readValue()))
            skipSpace()
            if skip(UInt8(ascii: "}")) { return leave(with: members) }
            guard skip(UInt8(ascii: ",")) else { throw expected("“,” or “}”") }
        }
    }

    private mutating func enter() throws(JSONError) {
        guard depth < maximumDepth else {
            throw error("arrays and objects nest deeper than \(maximumDepth)", at: position)
        }
        depth += 1
        position += 1
    }

    private mutating func leave<Value>(with value: Value) -> Value {
        depth -= 1
        return value
    }

    // MARK: Numbers

    private mutating func readNumber() throws(JSONError) -> JSONNumber {
        let start = position
        _ = skip(UInt8(ascii: "-"))
        if skip(UInt8(ascii: "0")) {
            if position < bytes.count, isDigit(bytes[position]) {
                throw error("a number cannot have a leading zero", at: position - 1)
            }
        } else {
            try readDigits()
        }
        if skip(UInt8(ascii: ".")) { try readDigits() }
        if skip(UInt8(ascii: "e")) || skip(UInt8(ascii: "E")) {
            if !skip(UInt8(ascii: "-")) { _ = skip(UInt8(ascii: "+")) }
            try readDigits()
        }
        return JSONNumber(checked: try string(from: start, to: position))
    }

    private mutating func readDigits() throws(JSONError) {
        let start = position
        while position < bytes.count, isDigit(bytes[position]) { position += 1 }
        guard position > start else { throw expected("a digit") }
    }

    // MARK: Strings

    private mutating func readString() throws(JSONError) -> String {
        position += 1
        let start = position
        var hasEscapes = false
        while position < bytes.count {
            let byte = bytes[position]
            if byte == UInt8(ascii: "\"") {
                let end = position
                position += 1
                return hasEscapes ? try unescapedString(from: start, to: end) : try string(from: start, to: end)
            }
            if byte == UInt8(ascii: "\\") {
                // The character after a backslash cannot end the string. `unescapedString` checks the escape once the end is
                // known.
                hasEscapes = true
                position += 1
                guard position < bytes.count else { break }
            }
            guard bytes[position] >= 0x20 else {
                throw error("a string cannot contain a bare control character, found \(found)", at: position)
            }
            position += 1
        }
        position = bytes.count
        throw expected("the string's closing quote")
    }

    /// Returns the bytes of a range as a string.
    ///
    /// - Throws: ``JSONError`` if they are not UTF-8.
    private func string(from start: Int, to end: Int) throws(JSONError) -> String {
        do {
            return String(copying: try UTF8Span(validating: bytes.extracting(start..<end)))
        } catch {
            throw self.error("these bytes are not UTF-8", at: start + error.byteOffsets.lowerBound)
        }
    }

    private func unescapedString(from start: Int, to end: Int) throws(JSONError) -> String {
        // Escapes are ASCII, so the whole string is UTF-8 exactly if each stretch between escapes is.
        _ = try string(from: start, to: end)
        var unescaped: [UInt8] = []
        unescaped.reserveCapacity(end - start)
        var index = start
        while index < end {
            let byte = bytes[index]
            if byte == UInt8(ascii: "\\") {
                let (scalar, next) = try readEscape(at: index, end: end)
                unescaped.append(contentsOf: scalar.utf8)
                index = next
            } else {
                unescaped.append(byte)
                index += 1
            }
        }
        return String(decoding: unescaped, as: UTF8.self)
    }

    /// Returns the scalar that the escape at `index` stands for, and the offset after the escape.
    private func readEscape(at index: Int, end: Int) throws(JSONError) -> (Unicode.Scalar, Int) {
        let simple: Unicode.Scalar
        switch bytes[index + 1] {
        case UInt8(ascii: "\""): simple = "\""
        case UInt8(ascii: "\\"): simple = "\\"
        case UInt8(ascii: "/"): simple = "/"
        case UInt8(ascii: "b"): simple = "\u{8}"
        case UInt8(ascii: "f"): simple = "\u{C}"
        case UInt8(ascii: "n"): simple = "\n"
        case UInt8(ascii: "r"): simple = "\r"
        case UInt8(ascii: "t"): simple = "\t"
        case UInt8(ascii: "u"): return try readUnicodeEscape(at: index, end: end)
        default: throw error("expected one of “\"\\/bfnrtu” after the backslash", at: index + 1)
        }
        return (simple, index + 2)
    }

    private func readUnicodeEscape(at index: Int, end: Int) throws(JSONError) -> (Unicode.Scalar, Int) {
        let first = try readUnit(at: index, end: end)
        if let scalar = Unicode.Scalar(first) { return (scalar, index + 6) }
        guard first < 0xDC00 else { throw error("the second half of a surrogate pair stands alone", at: index) }
        let hasSecond =
            index + 7 < end && bytes[index + 6] == UInt8(ascii: "\\") && bytes[index + 7] == UInt8(ascii: "u")
        let second = hasSecond ? try readUnit(at: index + 6, end: end) : 0
        guard (0xDC00...0xDFFF).contains(second) else {
            throw error("the first half of a surrogate pair stands alone", at: index)
        }
        let value = 0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00)
        guard let scalar = Unicode.Scalar(value) else { throw error("this is not a Unicode scalar", at: index) }
        return (scalar, index + 12)
    }

    /// Returns the UTF-16 code unit of the `\uXXXX` at `index`.
    private func readUnit(at index: Int, end: Int) throws(JSONError) -> UInt16 {
        var unit: UInt16 = 0
        for index in index + 2..<index + 6 {
            guard index < end, let digit = hexDigit(bytes[index]) else {
                throw error("expected four hexadecimal digits after “\\u”", at: min(index, end))
            }
            unit = unit << 4 | digit
        }
        return unit
    }

    // MARK: Bytes

    private mutating func skipSpace() {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x0A, 0x0D, 0x09: position += 1
            default: return
            }
        }
    }

    private mutating func skip(_ byte: UInt8) -> Bool {
        guard position < bytes.count, bytes[position] == byte else { return false }
        position += 1
        return true
    }

    // MARK: Errors

    private func expected(_ what: String) -> JSONError { error("expected \(what), found \(found)", at: position) }

    /// The character at the position, for a message.
    private var found: String {
        guard position < bytes.count else { return "the end" }
        let byte = bytes[position]
        if byte > 0x20, byte < 0x7F { return "“\(Unicode.Scalar(byte))”" }
        let end = min(position + 4, bytes.count)
        var decoder = UTF8()
        var rest = (position..<end).map { bytes[$0] }.makeIterator()
        guard byte >= 0x80, case .scalarValue(let scalar) = decoder.decode(&rest) else {
            return "the byte 0x" + String(byte, radix: 16, uppercase: true)
        }
        return scalar == "\u{FEFF}" ? "a byte order mark" : "“\(scalar)”"
    }

    /// Creates an error at `offset`. The reader counts lines and columns only here, when it needs them.
    private func error(_ reason: String, at offset: Int) -> JSONError {
        var line = firstLine
        var column = 1
        for index in 0..<min(offset, bytes.count) {
            if bytes[index] == UInt8(ascii: "\n") {
                line += 1
                column = 1
            } else if bytes[index] & 0xC0 != 0x80 {
                column += 1
            }
        }
        return JSONError(offset: offset, line: line, column: column, reason: reason)
    }
}

/// The keys of an object so far.
///
/// The reader compares a few keys directly and builds a set only for many. Thus neither an ordinary row nor a hostile object with
/// a million keys is slow.
private struct SeenKeys {
    private static let limitOfComparisons = 16
    private var set: Set<[UInt8]>?

    /// Adds `key`. Returns false if `members` contains it already.
    mutating func insert(_ key: String, besides members: [JSONMember]) -> Bool {
        if members.count < Self.limitOfComparisons {
            return !members.contains { $0.key.hasSameScalars(as: key) }
        }
        if set == nil { set = Set(members.map { Array($0.key.utf8) }) }
        return set?.insert(Array(key.utf8)).inserted ?? true
    }
}

private func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

private func hexDigit(_ byte: UInt8) -> UInt16? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt16(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt16(byte - UInt8(ascii: "a") + 10)
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt16(byte - UInt8(ascii: "A") + 10)
    default: nil
    }
}
