import StoreEngine

/// Writes a table of aligned columns, cut to a width.
///
/// Numbers are aligned to the right. They are cut last, because half a number misleads, while half a text still helps.
struct TableWriter {
    /// A column's title and kind.
    struct Column: Equatable {
        /// The title above the column.
        var title: String
        /// Whether its values are numbers.
        var isNumeric = false
        /// The least width.
        var width = 0
        /// Whether a value that does not fit continues on further lines. Otherwise it is cut.
        var wraps = false
    }

    private static let gap = 2
    /// A text column is not cut below this width. After that, the end of the line is cut.
    private static let narrowestText = 6

    private let columns: [Column]
    private let limit: Int?
    private var rows: [[String]] = []
    /// The widths that the rows of earlier blocks needed; nil before the first block.
    private var earlierWidths: [Int]?

    /// Creates a table without rows. `width` is the greatest number of columns of a line; nil for no limit.
    init(columns: [Column], width: Int?) {
        self.columns = columns.map {
            Column(
                title: DisplayText.escaped($0.title), isNumeric: $0.isNumeric, width: $0.width, wraps: $0.wraps)
        }
        limit = width.map { max($0, 1) }
    }

    /// Adds a row with a value for each column. Control characters in it are shown as escapes.
    mutating func append(_ row: [String]) {
        precondition(row.count == columns.count, "a row has a value for each column")
        rows.append(
            zip(row, columns).map { cell, column in
                let text = DisplayText.escaped(cell)
                if column.wraps { return text }
                // No column can be wider than the whole table, so the rest of a long text is dropped.
                return limit.map { DisplayText.cut(text, to: $0) } ?? text
            })
    }

    /// The table's lines, without line ends: titles, a rule, the rows.
    var lines: [String] {
        guard !columns.isEmpty else { return [] }
        let widths = columnWidths()
        let rule = widths.map { String(repeating: "-", count: $0) }
        return ([columns.map(\.title), rule] + rows).flatMap { lines(of: $0, widths: widths) }
    }

    /// The table as text, with a line end after each line.
    var text: String { lines.map { $0 + "\n" }.joined() }

    /// Returns the rows since the last block as text, for a table that is shown while it grows. The first block begins with the
    /// titles. Columns are as wide as before, or wider.
    ///
    /// - Parameter repeatsTitles: whether to repeat the titles above rows that need wider columns, because such rows do not align
    ///   with the earlier titles.
    mutating func takeBlock(repeatsTitles: Bool = false) -> String {
        defer {
            earlierWidths = wantedWidths()
            rows = []
        }
        guard let earlierWidths else { return text }
        if repeatsTitles, wantedWidths() != earlierWidths { return text }
        let widths = columnWidths()
        return rows.flatMap { lines(of: $0, widths: widths) }.map { $0 + "\n" }.joined()
    }

    /// Returns the titles, the rule and the rows since the last block, for a table that is redrawn repeatedly. Columns never get
    /// narrower, so they stay in position.
    mutating func takeLines() -> [String] {
        defer {
            earlierWidths = wantedWidths()
            rows = []
        }
        return lines
    }

    /// Returns the lines of a row: one, or more if a column wraps.
    private func lines(of cells: [String], widths: [Int]) -> [String] {
        let pieces = cells.indices.map { index in
            columns[index].wraps ? DisplayText.wrapped(cells[index], to: widths[index]) : [cells[index]]
        }
        return (0..<(pieces.map(\.count).max() ?? 0)).map { number in
            line(of: pieces.map { number < $0.count ? $0[number] : "" }, widths: widths)
        }
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

    /// Returns the widths that the values need.
    private func wantedWidths() -> [Int] {
        var widths = earlierWidths ?? columns.map { max($0.width, DisplayText.width(of: $0.title)) }
        for row in rows {
            for (index, cell) in row.enumerated() { widths[index] = max(widths[index], DisplayText.width(of: cell)) }
        }
        return widths
    }

    /// Returns the widths that the values need. If that exceeds the limit, the widest text columns are reduced to one width.
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
        // The rest after this reduction goes to the columns that were cut, from the left.
        var spare = available - result.reduce(0, +)
        for index in result.indices where spare > 0 && result[index] < widths[index] {
            result[index] += 1
            spare -= 1
        }
        return result
    }
}
