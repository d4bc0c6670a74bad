/// One record of a CSV file.
package struct CSVRecord: Equatable, Sendable {
    /// The line where the record begins, from 1.
    package var line: Int
    /// The fields in order.
    package var fields: [CSVField]
}

/// One field of a CSV record.
package struct CSVField: Equatable, Sendable {
    /// The text, without quotes.
    package var text: String
    /// Whether the field was quoted, which distinguishes an empty text from no value.
    package var isQuoted: Bool

    package init(text: String, isQuoted: Bool) {
        self.text = text
        self.isQuoted = isQuoted
    }

    /// The text, or nil if the field was empty and not quoted.
    package var value: String? { text.isEmpty && !isQuoted ? nil : text }
}

/// A mistake in a CSV file, with its position.
package struct CSVError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The line of the mistake, from 1.
    package var line: Int
    /// The column in Unicode scalars, from 1.
    package var column: Int
    /// The line where the record begins.
    package var recordLine: Int
    /// The description of the mistake, without a full stop.
    package var reason: String

    package var description: String { "line \(line), column \(column): \(reason)" }
}
