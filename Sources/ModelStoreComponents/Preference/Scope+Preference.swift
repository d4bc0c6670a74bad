import LMDB
import StoreEngine
public import StoreRuntime

extension Scope {
    /// Has a value flow up to this scope and those that it is a part of, until it closes: as ``ComponentContext/preference(_:_:)``.
    ///
    /// Linear in the number of scopes from here to the root, and of those that give one to them.
    ///
    /// - Throws: ``StoreError`` with the code `scopeClosed`.
    public func setPreference<Key: PreferenceKey>(_ key: Key.Type, _ value: Key.Value) throws
    where Key.Value: Sendable {
        let key = ObjectIdentifier(key)
        try onAppear("\(key)") {
            try onClose { [weak self] in self?.give(nil, by: key) }
        }
        give(value, by: key)
        guard isClosed else { return }
        // Its handlers may have run before.
        give(nil, by: key)
        throw closedError
    }

    /// What flows up to here: the values of this scope and of those within it, joined in the order of their opening, each before
    /// those within it. Tracked by Observation. Those of components flow up to components alone.
    ///
    /// - Throws: ``StoreError`` with the code `scopeClosed`.
    public func preference<Key: PreferenceKey>(_ key: Key.Type) throws -> Key.Value {
        let given = try part { ScopePreferences() }.subject(ObjectIdentifier(key)).value
        return given.reduce(into: Key.defaultValue) { joined, next in
            if let value = next.value as? Key.Value { Key.reduce(value: &joined) { value } }
        }
    }

    /// Has a closure run soon with what flows up to here, and again whenever that is something else, until the scope closes: as
    /// ``ComponentContext/onPreferenceChange(_:perform:)``.
    ///
    /// - Throws: ``StoreError`` with the code `scopeClosed`.
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
            // One that is closed has nobody who asks.
            (try? here.part { ScopePreferences() })?.set(key, path, value)
            scope = here.parent
        }
    }
}

/// What somebody was told last.
///
/// - `value` is protected by its mutex.
private final class LastPreference<Value: Sendable>: Sendable {
    private let value = HandoverMutex<Value?>(nil)

    /// - Returns: whether it is another than the last.
    func becomes(_ new: Value) -> Bool {
        value.withLock { value in
            if let value, Sameness.areSame(value, new) { return false }
            value = new
            return true
        }
    }
}
