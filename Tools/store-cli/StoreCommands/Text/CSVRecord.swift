/// One record of a CSV file.
struct CSVRecord: Equatable, Sendable {
    /// The line where the record begins, from 1.
    var line: Int
    /// The fields in order.
    var fields: [CSVField]
}

/// One field of a CSV record.
struct CSVField: Equatable, Sendable {
    /// The text, without quotes.
    var text: String
    /// Whether the field was quoted, which distinguishes an empty text from no value.
    var isQuoted: Bool

    /// The text, or nil if the field was empty and not quoted.
    var value: String? { text.isEmpty && !isQuoted ? nil : text }
}

/// A mistake in a CSV file, with its position.
struct CSVError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The line of the mistake, from 1.
    var line: Int
    /// The column in Unicode scalars, from 1.
    var column: Int
    /// The line where the record begins.
    var recordLine: Int
    /// The description of the mistake, without a full stop.
    var reason: String

    var description: String { "line \(line), column \(column): \(reason)" }
}
