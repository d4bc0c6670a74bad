/// The reason why bytes are not the expected JSON text, and the position of the mistake.
package struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The offset of the mistake in bytes from the start of the text.
    package let offset: Int
    /// The line, counted from 1 or from the number that the caller gave the reader.
    package let line: Int
    /// The column in Unicode scalars, counted from 1.
    package let column: Int
    /// The expected and the found text, without a full stop.
    package let reason: String

    package var description: String { "line \(line), column \(column): \(reason)" }
}
