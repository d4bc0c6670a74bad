import StoreEngine

/// An error of a shared log.
public struct SharedLogError: Error, Sendable, CustomStringConvertible {
    /// The kind of an error.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The name of the code.
        public let description: String

        /// Creates a code. Other modules define codes of their own.
        public init(_ name: String) { description = name }

        /// The engine cannot be reached, or has no majority. Nothing was appended.
        public static let unavailable = Code("unavailable")
        /// The answer was lost. The entry may be in the log.
        public static let unknown = Code("unknown")
        /// The engine has no room. Nothing was appended.
        public static let full = Code("full")
        /// The entry is longer than the log allows. Nothing was appended.
        public static let entryTooLarge = Code("entryTooLarge")
        /// The log has another entry at the position that a node gave.
        public static let diverged = Code("diverged")
        /// The log no longer has the entries after the position.
        public static let trimmed = Code("trimmed")
        /// The log has begun another generation.
        public static let otherGeneration = Code("otherGeneration")
        /// The engine refuses the credentials, or its version is too old.
        public static let refused = Code("refused")
        /// The log holds bytes that ModelStore did not write.
        public static let damaged = Code("damaged")
    }

    /// The code of this error.
    public let code: Code
    /// One sentence without a full stop that says what happened.
    public let message: String
    /// Where the log begins, for the code `trimmed`.
    public let floor: LogPosition?

    /// Creates an error.
    public init(_ code: Code, _ message: String, floor: LogPosition? = nil) {
        self.code = code
        self.message = message
        self.floor = floor
    }

    /// The error of a log that does not have a position.
    package static func diverged(at position: LogPosition, head: LogPosition) -> SharedLogError {
        SharedLogError(
            .diverged,
            position.index > head.index
                ? "the log ends with entry \(head.index), and lacks entry \(position.index)"
                : "the log has another entry \(position.index)")
    }

    public var description: String { DisplayText.escaped("[\(code)] \(message)") }
}
