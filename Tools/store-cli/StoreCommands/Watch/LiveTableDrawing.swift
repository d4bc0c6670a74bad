import StoreEngine
import StoreExpressions
import StoreRuntime

/// Draws a live table at a fixed terminal size.
struct LiveTableDrawing {
    private static let home = "\u{1B}[H"
    private static let clearToEndOfLine = "\u{1B}[K"
    private static let clearBelow = "\u{1B}[J"
    /// The lines above the rows: the heading, the titles and a rule.
    private static let headCount = 3

    private let size: TerminalSize
    private let type: OpenType
    private let fields: ShownFields
    private var table: TableWriter

    /// - Parameter fields: the fields to show; nil for all.
    /// - Throws: ``ExpressionError`` if the type does not have the fields; ``StoreError``.
    init(_ fields: String?, _ rows: DynamicRows, _ size: TerminalSize) throws {
        self.size = size
        type = rows.type
        self.fields = try ShownFields(fields, of: type, in: rows.catalog)
        table = TableWriter(
            columns: self.fields.columns.map { .init(title: $0.name, isNumeric: $0.isNumeric) },
            width: Self.width(size))
    }

    /// Returns whether the drawing is for a terminal of this size and records of this type.
    func fits(_ size: TerminalSize, _ type: OpenType) -> Bool { size == self.size && type === self.type }

    /// Returns the text that draws a result over the old content.
    ///
    /// - Throws: ``StoreError`` with the code `damaged`.
    mutating func text(_ update: DynamicUpdate) throws(StoreError) -> String {
        let lines = try lines(update).map { $0 + Self.clearToEndOfLine }
        // No line end after the last line: in the terminal's bottom line, it would scroll.
        return Self.home + lines.joined(separator: "\n") + Self.clearBelow
    }

    /// Returns the lines, at most as many as the terminal has.
    private mutating func lines(_ update: DynamicUpdate) throws(StoreError) -> [String] {
        let count = update.rows.count
        let room = max(size.rows - Self.headCount, 0)
        // The last line reports how many rows are not shown.
        let shownCount = count > room ? max(room - 1, 0) : count
        for index in 0..<shownCount {
            table.append(fields.cells(try update.rows.record(index), update.rows.followed(index)).map(\.text))
        }
        let head = "\(type.name): \(Counted.text(count, "row")) at position \(update.position.sequence)"
        var lines = [DisplayText.cut(head, to: Self.width(size))] + table.takeLines()
        if shownCount < count { lines.append(DisplayText.cut("… \(count - shownCount) more", to: Self.width(size))) }
        return Array(lines.prefix(max(size.rows, 1)))
    }

    /// A character in the last column would be cleared with the rest of its line.
    private static func width(_ size: TerminalSize) -> Int { max(size.columns - 1, 1) }
}
