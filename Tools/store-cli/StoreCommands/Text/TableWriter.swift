import StoreExpressions

/// A table of aligned columns, cut to a width.
///
/// Numbers stand to the right and are the last to be cut, since half a number misleads where half a text still helps.
struct TableWriter {
    /// A column's title and kind.
    struct Column: Equatable {
        /// What stands above it.
        var title: String
        /// Whether its values are numbers.
        var isNumeric = false
        /// How wide it is at least.
        var width = 0
    }

    private static let gap = 2
    /// A text column is not cut shorter than this; the line's end goes first.
    private static let narrowestText = 6

    private let columns: [Column]
    private let limit: Int?
    private var rows: [[String]] = []
    /// The widths that the rows of earlier blocks took; none before the first.
    private var earlierWidths: [Int]?

    /// A table without rows. `width` is the number of columns to keep to; nil for as many as it takes.
    init(columns: [Column], width: Int?) {
        self.columns = columns.map {
            Column(title: DisplayText.escaped($0.title), isNumeric: $0.isNumeric, width: $0.width)
        }
        limit = width.map { max($0, 1) }
    }

    /// Adds a row with a value for each column; control characters in it will show as escapes.
    mutating func append(_ row: [String]) {
        precondition(row.count == columns.count, "a row has a value for each column")
        rows.append(
            row.map { cell in
                let text = DisplayText.escaped(cell)
                // No column will be wider than the whole table, so the rest of a long text is not kept.
                return limit.map { DisplayText.cut(text, to: $0) } ?? text
            })
    }

    /// The table's lines, without line ends: titles, a rule, the rows.
    var lines: [String] {
        guard !columns.isEmpty else { return [] }
        let widths = columnWidths()
        let rule = widths.map { String(repeating: "-", count: $0) }
        return ([columns.map(\.title), rule] + rows).map { line(of: $0, widths: widths) }
    }

    /// The table as text, each line ended.
    var text: String { lines.map { $0 + "\n" }.joined() }

    /// The rows that came since the last block, as text, after the titles in the first: for a table that is shown while it
    /// grows. Columns are as wide as before, or wider.
    ///
    /// - Parameter repeatsTitles: whether the titles stand again above rows that need wider columns, which would not be below the
    ///   titles before.
    mutating func takeBlock(repeatsTitles: Bool = false) -> String {
        defer {
            earlierWidths = wantedWidths()
            rows = []
        }
        guard let earlierWidths else { return text }
        if repeatsTitles, wantedWidths() != earlierWidths { return text }
        let widths = columnWidths()
        return rows.map { line(of: $0, widths: widths) + "\n" }.joined()
    }

    /// The titles, the rule and the rows since the last block, for a table that is drawn again and again: columns never get
    /// narrower, so that they stay where they are.
    mutating func takeLines() -> [String] {
        defer {
            earlierWidths = wantedWidths()
            rows = []
        }
        return lines
    }

    private func line(of cells: [String], widths: [Int]) -> String {
        var line = ""
        for (index, cell) in cells.enumerated() {
            if index > 0 { line += String(repeating: " ", count: Self.gap) }
            let cut = DisplayText.cut(cell, to: widths[index])
            let isLast = index == cells.count - 1
            // No spaces at the end of a line.
            line +=
                isLast && !columns[index].isNumeric
                ? cut : DisplayText.padded(cut, to: widths[index], isRightAligned: columns[index].isNumeric)
        }
        return limit.map { DisplayText.cut(line, to: $0) } ?? line
    }

    /// The widths that the values want.
    private func wantedWidths() -> [Int] {
        var widths = earlierWidths ?? columns.map { max($0.width, DisplayText.width(of: $0.title)) }
        for row in rows {
            for (index, cell) in row.enumerated() { widths[index] = max(widths[index], DisplayText.width(of: cell)) }
        }
        return widths
    }

    /// The widths that the values want, or when that is too much: the widest text columns reduced to one width.
    private func columnWidths() -> [Int] {
        let widths = wantedWidths()
        guard let limit else { return widths }
        let available = limit - Self.gap * (columns.count - 1)
        var cap = widths.max() ?? 0
        func capped(at cap: Int) -> [Int] {
            widths.indices.map { columns[$0].isNumeric ? widths[$0] : min(widths[$0], cap) }
        }
        while cap > Self.narrowestText, capped(at: cap).reduce(0, +) > available { cap -= 1 }
        var result = capped(at: cap)
        // What the common width leaves over goes to those that were cut, from the left.
        var spare = available - result.reduce(0, +)
        for index in result.indices where spare > 0 && result[index] < widths[index] {
            result[index] += 1
            spare -= 1
        }
        return result
    }
}
