import ModelStoreComponents

/// An object of a program's own. In a file of its own, as OpenCombine has types of the same names.
final class Session: ObservableObject, Sendable {
    @Published var user = "nobody"
    @Published var count = 0
}

/// The same with an `objectWillChange` of its own.
final class Counter: ObservableObject, Sendable {
    let objectWillChange = ObjectWillChange()
    @Published var count = 0
}

/// A value outside of any class.
func subject<Value: Sendable>(_ value: Value) -> ModelStoreComponents.Subject<Value> { Subject(value) }
