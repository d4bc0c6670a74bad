/// One paragraph of a Debian control file: fields with their values, as deb822(5) describes.
struct Deb822Stanza: Sendable, Equatable {
    /// A field and its value. Continuation lines of the value follow line feeds.
    struct Field: Sendable, Equatable {
        /// The name as written. Upper and lower case are equivalent.
        var name: String
        /// The value, without the space around its first line and the space that begins each continuation line.
        var value: String
    }

    /// The fields in order.
    var fields: [Field] = []

    /// The value of the field with this name.
    subscript(name: String) -> String? {
        fields.first { $0.name == name }?.value
            ?? fields.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    /// Parses all paragraphs of a file. `path` is for the error.
    static func parse(_ bytes: [UInt8], path: String) throws(HostReadError) -> [Deb822Stanza] {
        var stanzas: [Deb822Stanza] = []
        var stanza = Deb822Stanza()
        var number = 0
        for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            number += 1
            guard let first = line.first, !line.allSatisfy(isSpace) else {
                if !stanza.fields.isEmpty { stanzas.append(stanza) }
                stanza.fields.removeAll()
                continue
            }
            if first == UInt8(ascii: "#") { continue }
            if isSpace(first) {
                guard !stanza.fields.isEmpty else {
                    throw HostReadError(path: path, line: number, reason: "a continued line without a field before it")
                }
                stanza.fields[stanza.fields.count - 1].value += "\n" + text(line.dropFirst())
                continue
            }
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex else {
                throw HostReadError(path: path, line: number, reason: "expected a field name and a colon")
            }
            stanza.fields.append(Field(name: text(line[..<colon]), value: text(trimmed(line[(colon + 1)...]))))
        }
        if !stanza.fields.isEmpty { stanzas.append(stanza) }
        return stanzas
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var bytes = bytes.drop(while: isSpace)
        while let last = bytes.last, isSpace(last) { bytes.removeLast() }
        return bytes
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
}
