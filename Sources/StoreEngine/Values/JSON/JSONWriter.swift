/// Writes JSON values as UTF-8. Members keep their order, and numbers keep their digits.
///
/// ``JSONValue/init(_:)-(Double)`` converts a double to the shortest number that reads back as the same double. The reader reads
/// the output as an equal value, if the value nests no deeper than the reader allows.
package struct JSONWriter: Sendable {
    /// The layout of the output.
    package enum Layout: Sendable {
        /// One line without any space.
        case compact
        /// One line for each element and member, indented by two spaces.
        case pretty
    }

    /// The bytes written so far.
    package private(set) var bytes: [UInt8] = []
    private let layout: Layout
    private var depth = 0
    /// The greatest depth of the values written since the writer was created or emptied.
    package private(set) var greatestDepth = 0

    /// Creates an empty writer.
    package init(layout: Layout = .compact) { self.layout = layout }

    /// Returns the text of `value`.
    package static func text(of value: JSONValue, layout: Layout = .compact) -> String {
        String(decoding: bytes(of: value, layout: layout), as: UTF8.self)
    }

    /// Returns the text of `value` in UTF-8.
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

    /// Appends a line feed, as JSON Lines requires after each value.
    package mutating func endLine() { bytes.append(UInt8(ascii: "\n")) }

    /// Removes the written bytes and keeps their memory, for a caller that passes on one piece at a time.
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

    /// Appends a string in quotes. It escapes quotes, backslashes and control characters; JSON requires no other escapes.
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
