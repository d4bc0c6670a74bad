import ModelStoreComponents
import Synchronization

/// An object that notes its making and its end, with a number.
final class Thing: ObservableObject, Sendable {
    @Published var count = 0
    @Published var name = "thing"
    let number: Int
    private let journal: Journal
    private let touches = Atomic<Int>(0)

    /// - Parameter numbers: where the number comes from.
    init(_ journal: Journal, _ numbers: Numbers) {
        number = numbers.next()
        self.journal = journal
        journal.add("created \(number)")
    }

    /// How often it was called: a state of the object that nobody observes.
    func touch() -> Int { touches.wrappingAdd(1, ordering: .relaxed).newValue }

    deinit { journal.add("destroyed \(number)") }
}

/// 1, 2, 3, …
final class Numbers: Sendable {
    private let last = Atomic<Int>(0)

    func next() -> Int { last.wrappingAdd(1, ordering: .relaxed).newValue }
}
