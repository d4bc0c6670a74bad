import StoreEngine
import StoreRuntime

/// The combined value that a component received last.
final class PreferenceMemory<Key: PreferenceKey> {
    private var last: Key.Value?

    /// Returns the combined value at a node, or nil if it has not changed.
    func change(at node: Node) -> Key.Value? {
        var value = Key.defaultValue
        join(node, &value)
        for node in node.below { join(node, &value) }
        if let last, Sameness.areWhollySame(last, value) { return nil }
        last = value
        return value
    }

    private func join(_ node: Node, _ value: inout Key.Value) {
        if let own: Key.Value = Kept.value(node.life.preferences[ObjectIdentifier(Key.self)]) {
            Key.reduce(value: &value) { own }
        }
    }
}
