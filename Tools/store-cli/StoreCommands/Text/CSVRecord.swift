/// One record of a CSV file.
struct CSVRecord: Equatable, Sendable {
    /// The line where it began, from 1.
    var line: Int
    /// Its fields in order.
    var fields: [CSVField]
}

/// One field of a CSV record.
struct CSVField: Equatable, Sendable {
    /// Its text, without quotes.
    var text: String
    /// Whether it stood in quotes, which tells an empty text from no value.
    var isQuoted: Bool

    /// The text, or nil when nothing at all was written.
    var value: String? { text.isEmpty && !isQuoted ? nil : text }
}

/// What is wrong in a CSV file, and where.
struct CSVError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The line of the mistake, from 1.
    var line: Int
    /// The place in the line in Unicode scalars, from 1.
    var column: Int
    /// The line where the record began.
    var recordLine: Int
    /// What is wrong, without a full stop.
    var reason: String

    var description: String { "line \(line), column \(column): \(reason)" }
}
