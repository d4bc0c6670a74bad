package import StoreEngine

/// One record of an import, as it was written.
package struct ImportRow {
    /// The content of a row.
    package enum Content {
        /// The members of a JSON object.
        case members([JSONMember])
        /// The fields of a CSV record, in the order of the header.
        case cells([CSVField])
    }

    /// The line where the row begins, from 1.
    package var line: Int
    /// The record type that the row itself names.
    package var type: String?
    package var content: Content

    package init(line: Int, type: String?, content: Content) {
        self.line = line
        self.type = type
        self.content = content
    }
}

/// A mistake in one row. The other rows may be good.
package struct ImportMistake: Error {
    package var line: Int
    package var reason: String
}

/// Returns the rows of an import one by one.
protocol ImportRows {
    /// Returns the next row, or nil at the end.
    ///
    /// - Throws: ``ImportMistake`` for a bad row, after which the next call continues with the next row. Any other error ends the
    ///   reading.
    mutating func next() throws -> ImportRow?

    /// The names of the columns, if the format has columns.
    var columns: [String]? { get }
}

/// Rows of JSON Lines.
package struct JSONRows: ImportRows {
    private var lines: LineReader
    private let namesTypes: Bool
    let columns: [String]? = nil

    /// - Parameter namesTypes: whether each line names its record's type.
    init(_ input: InputSource, namesTypes: Bool) {
        lines = LineReader(input)
        self.namesTypes = namesTypes
    }

    mutating func next() throws -> ImportRow? {
        while var bytes = try lines.next() {
            if lines.line == 1, bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
            if bytes.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }) { continue }
            return try Self.row(bytes, line: lines.line, namesTypes: namesTypes)
        }
        return nil
    }

    /// Returns the row that a line contains.
    package static func row(_ bytes: [UInt8], line: Int, namesTypes: Bool) throws -> ImportRow {
        let json: JSONValue
        do {
            json = try JSONReader.read(bytes)
        } catch {
            throw ImportMistake(line: line, reason: "column \(error.column): \(error.reason)")
        }
        guard let members = json.object else {
            throw ImportMistake(
                line: line, reason: "a record must be a JSON object on one line, found \(json.kindDescription)")
        }
        guard namesTypes else { return ImportRow(line: line, type: nil, content: .members(members)) }
        guard members.count == 2, let type = json["type"]?.string, let record = json["record"]?.object else {
            throw ImportMistake(
                line: line,
                reason: "without a TYPE, each line must be {\"type\": NAME, \"record\": RECORD}, as `export` writes it")
        }
        return ImportRow(line: line, type: type, content: .members(record))
    }
}

/// Rows of CSV, whose first line names the fields.
struct CSVRows: ImportRows {
    private var reader: CSVReader
    let columns: [String]?

    init(_ input: InputSource) throws {
        reader = CSVReader { try input.read() }
        do {
            guard let header = try reader.next() else {
                throw CommandFailure(.badData, "\(input.name) is empty; the first line of CSV names the fields")
            }
            columns = header.fields.map(\.text)
        } catch let error as CSVError {
            throw CommandFailure(.badData, "\(input.name), \(error)")
        }
    }

    mutating func next() throws -> ImportRow? {
        do {
            guard let record = try reader.next() else { return nil }
            return ImportRow(line: record.line, type: nil, content: .cells(record.fields))
        } catch let error as CSVError {
            let location = error.line == error.recordLine ? "" : "line \(error.line), "
            throw ImportMistake(line: error.recordLine, reason: "\(location)column \(error.column): \(error.reason)")
        }
    }
}

/// Rows as they were written, kept for a second pass after all of them have been read.
struct SpooledRows: ImportRows {
    private var reader: SpoolReader
    let columns: [String]?

    init(_ spool: Spool, columns: [String]?) {
        reader = spool.makeReader()
        self.columns = columns
    }

    mutating func next() throws -> ImportRow? {
        guard let entry = try reader.next() else { return nil }
        guard columns != nil else { return try JSONRows.row(entry.bytes, line: entry.line, namesTypes: false) }
        return ImportRow(line: entry.line, type: nil, content: .cells(try Self.cells(entry.bytes)))
    }

    /// Returns the bytes from which a row can be restored.
    static func bytes(of row: ImportRow) -> [UInt8] {
        switch row.content {
        case .members(let members): return JSONWriter.bytes(of: .object(members))
        case .cells(let cells):
            var writer = ByteWriter()
            for cell in cells {
                writer.append(byte: cell.isQuoted ? 1 : 0)
                writer.append(varint: UInt64(cell.text.utf8.count))
                writer.append(utf8: cell.text)
            }
            return writer.array()
        }
    }

    private static func cells(_ bytes: [UInt8]) throws -> [CSVField] {
        var reader = unsafe ByteReader(bytes.span.bytes)
        var cells: [CSVField] = []
        while !reader.isAtEnd {
            let isQuoted = try reader.read(UInt8.self) == 1
            cells.append(CSVField(text: try String(from: reader.readLengthPrefixed()), isQuoted: isQuoted))
        }
        return cells
    }
}
