import StoreEngine
import StoreRuntime

/// An observed part of a value. It exists for as long as something observes it.
final class StateElement<Content: Sendable>: Sendable {
    /// The number of the newest change of it.
    let changes = Subject<UInt64>(0)
    /// Reads the element from two values and returns whether it differs. Returns true if its values cannot be compared.
    let differs: @Sendable (Content, Content) -> Bool

    init<Value: Sendable>(_ path: any KeyPath<Content, Value> & Sendable) {
        guard let areSame = Sameness.wholeComparison(of: Value.self) else {
            differs = { _, _ in true }
            return
        }
        differs = { old, new in !areSame(old[keyPath: path], new[keyPath: path]) }
    }

    /// Notifies the observers of a change.
    ///
    /// - Parameter version: the number of the change.
    func change(to version: UInt64) { changes.update { $0 = max($0, version) } }
}

// A key path's subscript argument must be hashable.
extension StateElement: Hashable {
    static func == (left: StateElement, right: StateElement) -> Bool { left === right }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
