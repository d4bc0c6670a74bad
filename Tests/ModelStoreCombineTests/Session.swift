import ModelStoreComponents

/// An object that a program defines. It has its own file, because OpenCombine has types of the same names.
final class Session: ObservableObject, Sendable {
    @Published var user = "nobody"
    @Published var count = 0
}

/// The same with its own `objectWillChange`.
final class Counter: ObservableObject, Sendable {
    let objectWillChange = ObjectWillChange()
    @Published var count = 0
}

/// Returns a subject: a value outside of any class.
func subject<Value: Sendable>(_ value: Value) -> ModelStoreComponents.Subject<Value> { Subject(value) }
