public import StoreEngine

/// The actions that a program knows, by the names that feeds and traces call them, and what it does about those that it does not
/// know.
///
/// ```swift
/// let actions = ActionCatalog(MoveSensor.self, AddSensor.self)
///     .renamed("RelocateSensor", to: MoveSensor.self)
///     .skipping("Ping")
/// ```
///
/// A name that stands for nothing is an error unless ``unknown`` says otherwise.
public struct ActionCatalog: Sendable {
    /// What happens to an action that is not known.
    public enum UnknownPolicy: Sendable {
        /// An error that names it.
        case fail
        /// It is left out: of a replay its recorded changes are taken.
        case skip
    }

    /// What a name stands for.
    private enum Meaning: Sendable {
        case known(@Sendable (RecordedAction) throws -> any Action)
        case skipped
        /// Types that are called the same, by their whole names.
        case ambiguous(Set<String>)
    }

    private var meanings: [String: Meaning] = [:]
    /// What happens to an action of another name.
    public var unknown = UnknownPolicy.fail

    /// The actions of these types. A name that two of them have stands for none, and is an error where it is asked for.
    public init<each A: Action>(_ actions: repeat (each A).Type) {
        var types: [String: Set<String>] = [:]
        for action in repeat each actions {
            types[action.actionName, default: []].insert(String(reflecting: action))
            meanings[action.actionName] = Self.meaning(action)
        }
        for (name, types) in types where types.count > 1 { meanings[name] = .ambiguous(types) }
    }

    /// Also those that an earlier version of the program has recorded under another name.
    public func renamed<A: Action>(_ name: String, to action: A.Type) -> ActionCatalog {
        with(name, Self.meaning(action))
    }

    /// Also those of this name, made from what was recorded by a closure: for an action that has changed its form.
    ///
    /// - Parameter make: makes the action from the recorded one. What it throws is an error of whoever decodes the action.
    public func mapping(
        _ name: String, _ make: @escaping @Sendable (RecordedAction) throws -> any Action
    ) -> ActionCatalog {
        with(name, .known(make))
    }

    /// Leaves out those of this name.
    public func skipping(_ name: String) -> ActionCatalog { with(name, .skipped) }

    /// The same with a rule for all other names.
    public func unknown(_ rule: UnknownPolicy) -> ActionCatalog {
        var copy = self
        copy.unknown = rule
        return copy
    }

    /// The action that was recorded, in its Swift type; nil where it is to be left out.
    ///
    /// - Throws: ``StoreError``: `unknownAction` for a name that stands for nothing, or for two types; `invalidValue` when it cannot
    ///   be decoded; what a closure of ``mapping(_:_:)`` throws.
    public func action(_ recorded: RecordedAction) throws -> (any Action)? {
        switch meanings[recorded.name] {
        case .known(let make): return try make(recorded)
        case .skipped: return nil
        case .ambiguous(let types):
            throw StoreError(
                .unknownAction, "the name \(recorded.name) stands for \(types.sorted().joined(separator: " and "))",
                remedy: "give one of them an actionName of its own, and list what was recorded with renamed(_:to:)")
        case nil:
            if unknown == .skip { return nil }
            let known = meanings.keys.sorted().joined(separator: ", ")
            throw StoreError(
                .unknownAction,
                "the action \(recorded.name) is not known; there are: \(known.isEmpty ? "none" : known)",
                remedy: "list its type in the ActionCatalog, or say there what its name is now, or that it is skipped")
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
    /// The action in its Swift type, whatever its recorded name.
    ///
    /// - Throws: ``StoreError`` with the code `invalidValue` when it is of another form.
    public func decoded<A: Action>(as type: A.Type) throws(StoreError) -> A {
        try ActionCoding.decode(type, from: payload, of: name)
    }
}
