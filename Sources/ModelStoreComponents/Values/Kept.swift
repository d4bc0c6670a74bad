/// Reads values of generic types from storage that does not know their types.
enum Kept {
    /// Returns a kept value as its own type; nil if nothing is kept.
    ///
    /// `storage[key] as? Value` is wrong where `Value` is an optional: a cast of nothing then succeeds, as the value nil, and a
    /// cast of a kept nil fails.
    static func value<Value>(_ kept: Any?, as type: Value.Type = Value.self) -> Value? {
        guard let kept else { return nil }
        return kept as? Value
    }
}
