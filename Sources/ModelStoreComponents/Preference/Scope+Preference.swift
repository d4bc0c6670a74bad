import LMDB
import StoreEngine
public import StoreRuntime

extension Scope {
    /// Sends a value up to this scope and its ancestors until the scope closes; as ``ComponentContext/preference(_:_:)``.
    ///
    /// The cost is linear in the number of scopes from here to the root, and in the number of scopes that send a value to them.
    ///
    /// - Throws: ``/ModelStore/StoreError`` with the code `scopeClosed`.
    public func setPreference<Key: PreferenceKey>(_ key: Key.Type, _ value: Key.Value) throws
    where Key.Value: Sendable {
        let key = ObjectIdentifier(key)
        try onAppear("\(key)") {
            try onClose { [weak self] in self?.give(nil, by: key) }
        }
        give(value, by: key)
        guard isClosed else { return }
        // The scope's handlers may have run before this call.
        give(nil, by: key)
        throw closedError
    }

    /// Returns the combined value of this scope and the scopes within it. The order is that of opening, each scope before those
    /// within it. Tracked by Observation. Values that components set flow up to components only.
    ///
    /// - Throws: ``/ModelStore/StoreError`` with the code `scopeClosed`.
    public func preference<Key: PreferenceKey>(_ key: Key.Type) throws -> Key.Value {
        let given = try part { ScopePreferences() }.subject(ObjectIdentifier(key)).value
        return given.reduce(into: Key.defaultValue) { joined, next in
            if let value: Key.Value = Kept.value(next.value) { Key.reduce(value: &joined) { value } }
        }
    }

    /// Runs a closure soon with the combined value, and again whenever that changes, until the scope closes; as
    /// ``ComponentContext/onPreferenceChange(_:perform:)``.
    ///
    /// - Throws: ``/ModelStore/StoreError`` with the code `scopeClosed`.
    public func onPreferenceChange<Key: PreferenceKey>(
        _ key: Key.Type, file: StaticString = #fileID, line: UInt = #line,
        perform body: @escaping @Sendable (Key.Value) -> Void
    ) throws where Key.Value: Sendable {
        let last = LastPreference<Key.Value>()
        try observe(file: file, line: line) { [weak self] in
            guard let self, let value = try? self.preference(key), last.becomes(value) else { return }
            body(value)
        }
    }

    private func give(_ value: (any Sendable)?, by key: ObjectIdentifier) {
        var path: [UInt64] = []
        var scope: Scope? = self
        while let here = scope {
            path.insert(here.id, at: 0)
            // A closed scope has no subscribers.
            (try? here.part { ScopePreferences() })?.set(key, path, value)
            scope = here.parent
        }
    }
}

/// The value that a subscriber received last.
///
/// - `value` is protected by its mutex.
private final class LastPreference<Value: Sendable>: Sendable {
    private let value = HandoverMutex<Value?>(nil)

    /// - Returns: whether the value differs from the last one.
    func becomes(_ new: Value) -> Bool {
        value.withLock { value in
            if let value, Sameness.areWhollySame(value, new) { return false }
            value = new
            return true
        }
    }
}
