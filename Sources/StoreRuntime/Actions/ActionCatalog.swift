public import StoreEngine

/// The actions that a program knows, by their names in feeds and traces, and the rule for unknown actions.
///
/// ```swift
/// let actions = ActionCatalog(MoveSensor.self, AddSensor.self)
///     .renamed("RelocateSensor", to: MoveSensor.self)
///     .skipping("Ping")
/// ```
///
/// A name without a meaning is an error, unless ``unknown`` says otherwise.
public struct ActionCatalog: Sendable {
    /// The rule for unknown actions.
    public enum UnknownPolicy: Sendable {
        /// Throws an error that names the action.
        case fail
        /// Leaves the action out. A replay applies its recorded changes instead.
        case skip
    }

    /// The meaning of a name.
    private enum Meaning: Sendable {
        case known(@Sendable (RecordedAction) throws -> any Action)
        case skipped
        /// Several types have this name; the set holds their full names.
        case ambiguous(Set<String>)
    }

    private var meanings: [String: Meaning] = [:]
    /// The rule for actions with other names.
    public var unknown = UnknownPolicy.fail

    /// Creates a catalog with the actions of these types. A name that two of them have is ambiguous, and looking it up is an
    /// error.
    public init<each A: Action>(_ actions: repeat (each A).Type) {
        var types: [String: Set<String>] = [:]
        for action in repeat each actions {
            types[action.actionName, default: []].insert(String(reflecting: action))
            meanings[action.actionName] = Self.meaning(action)
        }
        for (name, types) in types where types.count > 1 { meanings[name] = .ambiguous(types) }
    }

    /// Returns a catalog that also decodes actions that an earlier version of the program recorded under another name.
    public func renamed<A: Action>(_ name: String, to action: A.Type) -> ActionCatalog {
        with(name, Self.meaning(action))
    }

    /// Returns a catalog that creates actions with this name by a closure: for an action whose form has changed.
    ///
    /// - Parameters:
    ///   - name: the name of the recorded action.
    ///   - make: creates the action from the recorded one. Decoding the action rethrows its errors.
    public func mapping(
        _ name: String, _ make: @escaping @Sendable (RecordedAction) throws -> any Action
    ) -> ActionCatalog {
        with(name, .known(make))
    }

    /// Returns a catalog that leaves out actions with this name.
    public func skipping(_ name: String) -> ActionCatalog { with(name, .skipped) }

    /// Returns a catalog with a rule for all other names.
    public func unknown(_ rule: UnknownPolicy) -> ActionCatalog {
        var copy = self
        copy.unknown = rule
        return copy
    }

    /// Returns a recorded action in its Swift type; nil to leave it out.
    ///
    /// - Throws: ``StoreError``: `unknownAction` for a name without a meaning or with two types; `invalidValue` if the action
    ///   cannot be decoded. Also the errors of a closure of ``mapping(_:_:)``.
    public func action(_ recorded: RecordedAction) throws -> (any Action)? {
        switch meanings[recorded.name] {
        case .known(let make): return try make(recorded)
        case .skipped: return nil
        case .ambiguous(let types):
            throw StoreError(
                .unknownAction,
                "the action name \(recorded.name) belongs to \(types.sorted().joined(separator: " and "))",
                remedy: "give one of them its own actionName, and map its recorded actions with renamed(_:to:)")
        case nil:
            if unknown == .skip { return nil }
            let known = meanings.keys.sorted().joined(separator: ", ")
            throw StoreError(
                .unknownAction,
                "the action \(recorded.name) is unknown (known actions: \(known.isEmpty ? "none" : known))",
                remedy: "add its type to the ActionCatalog, or rename or skip the action there")
        }
    }

    private func with(_ name: String, _ meaning: Meaning) -> ActionCatalog {
        var copy = self
        copy.meanings[name] = meaning
        return copy
    }

    private static func meaning<A: Action>(_ action: A.Type) -> Meaning {
        .known { try $0.decoded(as: action) }
    }
}

extension RecordedAction {
    /// Returns the action in its Swift type, whatever its recorded name.
    ///
    /// - Throws: ``StoreError`` with the code `invalidValue` if it has another form.
    public func decoded<A: Action>(as type: A.Type) throws(StoreError) -> A {
        try ActionCoding.decode(type, from: payload, of: name)
    }
}
