/// Writes JSON values as UTF-8, members in their order and numbers with their own digits.
///
/// Doubles reach it as ``JSONValue/init(_:)-(Double)`` makes them: the shortest number that reads back the same. What
/// it writes the reader reads as an equal value, as long as the value nests no deeper than the reader allows.
package struct JSONWriter: Sendable {
    /// How values are laid out.
    package enum Layout: Sendable {
        /// Without any space, on one line.
        case compact
        /// A line for each element and member, indented by two spaces.
        case pretty
    }

    /// What was written so far.
    package private(set) var bytes: [UInt8] = []
    private let layout: Layout
    private var depth = 0
    /// How deep nests what was written since the writer was made or emptied.
    package private(set) var greatestDepth = 0

    /// A writer without content.
    package init(layout: Layout = .compact) { self.layout = layout }

    /// The text of `value`.
    package static func text(of value: JSONValue, layout: Layout = .compact) -> String {
        String(decoding: bytes(of: value, layout: layout), as: UTF8.self)
    }

    /// The text of `value` in UTF-8.
    package static func bytes(of value: JSONValue, layout: Layout = .compact) -> [UInt8] {
        var writer = JSONWriter(layout: layout)
        writer.append(value)
        return writer.bytes
    }

    /// Appends a value.
    package mutating func append(_ value: JSONValue) {
        switch value {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .bool(let value): bytes.append(contentsOf: (value ? "true" : "false").utf8)
        case .number(let number): bytes.append(contentsOf: number.text.utf8)
        case .string(let string): append(string)
        case .array(let elements): append(elements)
        case .object(let members): append(members)
        }
    }

    /// Appends a line feed, as JSON Lines want it after each value.
    package mutating func endLine() { bytes.append(UInt8(ascii: "\n")) }

    /// Forgets what was written and keeps its memory, for a caller that passes on a piece at a time.
    package mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        greatestDepth = 0
    }

    private mutating func append(_ elements: [JSONValue]) {
        bytes.append(UInt8(ascii: "["))
        deepen()
        for (index, element) in elements.enumerated() {
            separate(isFirst: index == 0)
            append(element)
        }
        close(with: UInt8(ascii: "]"), isEmpty: elements.isEmpty)
    }

    private mutating func append(_ members: [JSONMember]) {
        bytes.append(UInt8(ascii: "{"))
        deepen()
        for (index, member) in members.enumerated() {
            separate(isFirst: index == 0)
            append(member.key)
            bytes.append(UInt8(ascii: ":"))
            if layout == .pretty { bytes.append(UInt8(ascii: " ")) }
            append(member.value)
        }
        close(with: UInt8(ascii: "}"), isEmpty: members.isEmpty)
    }

    private mutating func deepen() {
        depth += 1
        greatestDepth = max(greatestDepth, depth)
    }

    private mutating func separate(isFirst: Bool) {
        if !isFirst { bytes.append(UInt8(ascii: ",")) }
        if layout == .pretty { breakLine() }
    }

    private mutating func close(with byte: UInt8, isEmpty: Bool) {
        depth -= 1
        if layout == .pretty, !isEmpty { breakLine() }
        bytes.append(byte)
    }

    private mutating func breakLine() {
        bytes.append(UInt8(ascii: "\n"))
        bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: depth * 2))
    }

    /// Appends a string in quotes; quotes, backslashes and control characters are escaped, nothing else needs it.
    private mutating func append(_ string: String) {
        bytes.append(UInt8(ascii: "\""))
        let utf8 = string.utf8.span
        var start = 0
        for index in 0..<utf8.count {
            let byte = utf8[index]
            guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else { continue }
            append(utf8.extracting(start..<index))
            appendEscape(of: byte)
            start = index + 1
        }
        append(utf8.extracting(start..<utf8.count))
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func append(_ span: Span<UInt8>) {
        unsafe span.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
    }

    private mutating func appendEscape(of byte: UInt8) {
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case 0x08: bytes.append(UInt8(ascii: "b"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        case 0x0A: bytes.append(UInt8(ascii: "n"))
        case 0x0C: bytes.append(UInt8(ascii: "f"))
        case 0x0D: bytes.append(UInt8(ascii: "r"))
        case 0x00..<0x20:
            bytes.append(contentsOf: "u00".utf8)
            let digits = String(byte, radix: 16, uppercase: true)
            bytes.append(contentsOf: (digits.utf8.count == 1 ? "0" + digits : digits).utf8)
        default: bytes.append(byte)
        }
    }
}
