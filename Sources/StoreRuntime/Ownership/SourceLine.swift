/// A line of a program's source.
public struct SourceLine: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The file, in the form of `#fileID`.
    public let file: String
    /// The number of the line in the file.
    public let line: Int

    package init(_ file: StaticString, _ line: UInt) { self.init(file: "\(file)", line: line) }

    package init(file: String, line: UInt) {
        self.file = file
        self.line = Int(line)
    }

    public var description: String { "\(file):\(line)" }
}

/// Numbers lines of source, so that an entry needs only four bytes for its line.
struct SourceLines {
    private struct Key: Hashable {
        let address: UInt
        let line: UInt
    }

    private var numbers: [Key: UInt32] = [:]
    private var lines: [SourceLine] = []

    mutating func number(_ file: StaticString, _ line: UInt) -> UInt32 {
        // The text of a literal stays at its address. At worst, two literals with the same text get two numbers.
        let key = Key(address: unsafe UInt(bitPattern: file.utf8Start), line: line)
        if let number = numbers[key] { return number }
        let number = UInt32(lines.count)
        lines.append(SourceLine(file, line))
        numbers[key] = number
        return number
    }

    subscript(number: UInt32) -> SourceLine { lines[Int(number)] }
}
