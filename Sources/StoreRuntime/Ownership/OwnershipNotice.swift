/// Something about the ownership of objects that a developer wants to know, in a sentence.
public struct OwnershipNotice: Sendable, CustomStringConvertible {
    /// What kind of thing it is. There may be more of them in later versions.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The code as a word.
        public let rawValue: String

        /// A code by its word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// An object is alive although the last scope that owned or borrowed it is closed.
        public static let leaked = Code(rawValue: "leaked")
        /// A borrower got an object that nobody owns, and that went with the next update.
        public static let unowned = Code(rawValue: "unowned")
        /// An owner was handed another object than the one that it has, and keeps the one that it has.
        public static let ignoredObject = Code(rawValue: "ignoredObject")
        /// An initial value was made more often than it was used.
        public static let repeatedConstruction = Code(rawValue: "repeatedConstruction")
        /// A component places several children of one type with the same id.
        public static let repeatedID = Code(rawValue: "repeatedID")
        /// No ancestor provides an object that a component asks for.
        public static let missingObject = Code(rawValue: "missingObject")
        /// A handler of a scope's end has thrown.
        public static let handlerFailed = Code(rawValue: "handlerFailed")
        /// A task of a scope has thrown.
        public static let taskFailed = Code(rawValue: "taskFailed")
        /// A component's update has thrown.
        public static let updateFailed = Code(rawValue: "updateFailed")
        /// A write that a binding has queued was not committed, and nobody asked to be told.
        public static let writeFailed = Code(rawValue: "writeFailed")
        /// The store could not be read for components or an effect, which is tried again.
        public static let readFailed = Code(rawValue: "readFailed")
        /// Updates of components go on changing what they read.
        public static let endlessUpdates = Code(rawValue: "endlessUpdates")
    }

    /// What kind of thing it is.
    public let code: Code
    /// The sentence, with what mends it.
    public let message: String
    /// The line that it is about, where there is one.
    public let line: SourceLine?
    /// The path of the scope that it happened in, where there is one.
    public let scope: String?
    /// What was thrown, where something was.
    public let error: (any Error)?

    package init(
        _ code: Code, _ message: String, line: SourceLine, scope: String? = nil, error: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.line = line
        self.scope = scope
        self.error = error
    }

    public var description: String {
        "\(code.rawValue): \(message)\(line.map { " (\($0))" } ?? "")"
    }
}
