import StoreEngine

/// A message about the ownership of objects, for the developer of the program.
public struct OwnershipNotice: Sendable, CustomStringConvertible {
    /// The kind of a notice. Later versions may add kinds.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The code as a word.
        public let rawValue: String

        /// Creates a code from its word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// An object is alive although the last scope that owned or borrowed it is closed.
        public static let leaked = Code(rawValue: "leaked")
        /// A component borrowed an object that nothing owns, and the object was released with the next update.
        public static let unowned = Code(rawValue: "unowned")
        /// An owner was handed another object than the one that it has, and ignores it.
        public static let ignoredObject = Code(rawValue: "ignoredObject")
        /// An initial value was made more often than it was used.
        public static let repeatedConstruction = Code(rawValue: "repeatedConstruction")
        /// A component places several children of one type with the same id.
        public static let repeatedID = Code(rawValue: "repeatedID")
        /// No ancestor provides an object that a component asks for.
        public static let missingObject = Code(rawValue: "missingObject")
        /// A handler that runs when a scope closes has thrown an error.
        public static let handlerFailed = Code(rawValue: "handlerFailed")
        /// A task of a scope has thrown an error.
        public static let taskFailed = Code(rawValue: "taskFailed")
        /// A component's update has thrown an error.
        public static let updateFailed = Code(rawValue: "updateFailed")
        /// A write that a binding queued was not committed, and the binding has no error handler.
        public static let writeFailed = Code(rawValue: "writeFailed")
        /// Components or an effect could not read the store. They try again.
        public static let readFailed = Code(rawValue: "readFailed")
        /// A component's property was used in a value that no place of a tree hosts.
        public static let unhosted = Code(rawValue: "unhosted")
        /// A write closure read the store itself, and so the state before the write. Only debug builds look for it.
        public static let readBesideWrite = Code(rawValue: "readBesideWrite")
        /// An object announced a change outside the host of its components, which may then update before the change. Only debug
        /// builds look for it.
        public static let earlySend = Code(rawValue: "earlySend")
        /// A line placed or requested several things that have no ids, and another number of them than in the update before.
        public static let missingID = Code(rawValue: "missingID")
        /// Updates of components keep changing the values that the components read.
        public static let endlessUpdates = Code(rawValue: "endlessUpdates")
    }

    /// The kind of the notice.
    public let code: Code
    /// The message, with a remedy.
    public let message: String
    /// The line of source that the notice is about, if there is one.
    public let line: SourceLine?
    /// The path of the scope in which it happened, if there is one.
    public let scope: String?
    /// The error that was thrown, if there was one.
    public let error: (any Error)?

    package init(
        _ code: Code, _ message: String, line: SourceLine?, scope: String? = nil, error: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.line = line
        self.scope = scope
        self.error = error
    }

    /// The kind, the message and the line. Control and format characters appear as escapes.
    public var description: String {
        DisplayText.escaped("\(code.rawValue): \(message)\(line.map { " (\($0))" } ?? "")")
    }
}
