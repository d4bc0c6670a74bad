import ModelStoreComponents
import Synchronization

/// An object that a program defines, in a file that does not import OpenCombine.
final class Session: ObservableObject, Sendable {
    @Published var user = "nobody"
    @Published var count = 0
}

/// The same with its own `objectWillChange`.
final class Counter: ObservableObject, Sendable {
    let objectWillChange = ObjectWillChange()
    @Published var count = 0
}

/// An object without a published property and without its own `objectWillChange`.
final class Manual: ObservableObject, Sendable {
    private let count = Mutex(0)

    func set(_ new: Int) { objectWillChange.send { count.withLock { $0 = new } } }
}

/// Returns a subject: a value outside of any class.
func subject<Value: Sendable>(_ value: Value) -> ModelStoreComponents.Subject<Value> { Subject(value) }
