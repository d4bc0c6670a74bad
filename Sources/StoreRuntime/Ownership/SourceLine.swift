/// A place in a program's source.
public struct SourceLine: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The file, as `#fileID` has it.
    public let file: String
    /// The line in it.
    public let line: Int

    package init(_ file: StaticString, _ line: UInt) {
        self.file = "\(file)"
        self.line = Int(line)
    }

    public var description: String { "\(file):\(line)" }
}

/// Numbers for lines of source, so that what notes one holds four bytes.
struct SourceLines {
    private struct Key: Hashable {
        let address: UInt
        let line: UInt
    }

    private var numbers: [Key: UInt32] = [:]
    private var lines: [SourceLine] = []

    mutating func number(_ file: StaticString, _ line: UInt) -> UInt32 {
        // A literal's text stays where it is; two literals of one text are at worst two numbers.
        let key = Key(address: unsafe UInt(bitPattern: file.utf8Start), line: line)
        if let number = numbers[key] { return number }
        let number = UInt32(lines.count)
        lines.append(SourceLine(file, line))
        numbers[key] = number
        return number
    }

    subscript(number: UInt32) -> SourceLine { lines[Int(number)] }
}
