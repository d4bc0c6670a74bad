/// The string literals of an error in a file.
struct ErrorTexts {
    /// The line on which the call begins, counted from 1.
    let line: Int
    /// All literals in the arguments.
    let texts: [String]
    /// The literals in the argument `remedy`.
    let remedies: [String]

    private static let names = ["StoreError", "LMDBError", "Meaning", "PredicateRefusal"].map { Array($0.utf8) }

    /// Returns the calls in a file that create errors.
    static func calls(in text: String) -> [ErrorTexts] {
        let bytes = Array(text.utf8)
        var found: [ErrorTexts] = []
        var line = 1
        for place in bytes.indices {
            if bytes[place] == UInt8(ascii: "\n") { line += 1 }
            guard bytes[place] == UInt8(ascii: "(") else { continue }
            let before = bytes[..<place]
            guard let name = names.first(where: { before.suffix($0.count).elementsEqual($0) }) else { continue }
            if let previous = before.dropLast(name.count).last, isNamePart(previous) { continue }
            found.append(ErrorTexts(bytes[(place + 1)...], line: line))
        }
        return found
    }

    private static func isNamePart(_ byte: UInt8) -> Bool {
        let character = Character(Unicode.Scalar(byte))
        return character.isLetter || character == "_"
    }

    /// - Parameter arguments: The source after the opening parenthesis.
    private init(_ arguments: ArraySlice<UInt8>, line: Int) {
        self.line = line
        var texts: [String] = []
        var remedies: [String] = []
        var depth = 1
        var isRemedy = false
        var place = arguments.startIndex
        while place < arguments.endIndex, depth > 0 {
            switch arguments[place] {
            case UInt8(ascii: "\""):
                let end = Self.end(of: arguments[place...])
                let text = String(decoding: arguments[(place + 1)..<end], as: UTF8.self)
                texts.append(text)
                if isRemedy { remedies.append(text) }
                place = end
            case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
            case UInt8(ascii: ",") where depth == 1: isRemedy = false
            default:
                if arguments[place...].starts(with: "remedy:".utf8) { isRemedy = true }
            }
            place += 1
        }
        self.texts = texts
        self.remedies = remedies
    }

    /// Returns the index of the quotation mark that ends the literal at the beginning of a slice. Skips interpolations.
    private static func end(of source: ArraySlice<UInt8>) -> Int {
        var depth = 0
        var place = source.startIndex + 1
        while place < source.endIndex - 1 {
            switch source[place] {
            case UInt8(ascii: "\\") where source[place + 1] == UInt8(ascii: "("):
                depth += 1
                place += 1
            case UInt8(ascii: "\\"): place += 1
            case UInt8(ascii: "(") where depth > 0: depth += 1
            case UInt8(ascii: ")") where depth > 0: depth -= 1
            case UInt8(ascii: "\"") where depth > 0: place = end(of: source[place...])
            case UInt8(ascii: "\""): return place
            default: break
            }
            place += 1
        }
        return place
    }
}
