/// Why bytes are not the JSON text that was asked for, and where.
package struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The place as a number of bytes from the start of what was read.
    package let offset: Int
    /// The line, from 1 (or from the number that the reader was given).
    package let line: Int
    /// The place in the line in Unicode scalars, from 1.
    package let column: Int
    /// What was expected there and what was found, without a full stop.
    package let reason: String

    package var description: String { "line \(line), column \(column): \(reason)" }
}
