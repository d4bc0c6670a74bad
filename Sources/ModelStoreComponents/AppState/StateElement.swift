import StoreEngine
import StoreRuntime

/// A part of a state that somebody observes: it lasts as long as that.
final class StateElement<Content: Sendable>: Sendable {
    /// The number of the newest action that has changed it.
    let changes = Subject<UInt64>(0)
    /// Whether it differs in two states, as far as that can be seen. It is read of both.
    let differs: @Sendable (Content, Content) -> Bool

    init<Value: Sendable>(_ path: any KeyPath<Content, Value> & Sendable) {
        guard let areSame = Sameness.comparison(of: Value.self) else {
            differs = { _, _ in true }
            return
        }
        differs = { old, new in !areSame(old[keyPath: path], new[keyPath: path]) }
    }
}

// To be an argument of a key path.
extension StateElement: Hashable {
    static func == (left: StateElement, right: StateElement) -> Bool { left === right }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
