import ModelStoreComponents
import Synchronization

/// A numbered object that logs its creation and its end.
final class Thing: ObservableObject, Sendable {
    @Published var count = 0
    @Published var name = "thing"
    let number: Int
    private let journal: Journal
    private let touches = Atomic<Int>(0)

    /// - Parameter numbers: The source of the number.
    init(_ journal: Journal, _ numbers: Numbers) {
        number = numbers.next()
        self.journal = journal
        journal.add("created \(number)")
    }

    /// Returns the number of calls so far. This state of the object is not observed.
    func touch() -> Int { touches.wrappingAdd(1, ordering: .relaxed).newValue }

    deinit { journal.add("destroyed \(number)") }
}

/// 1, 2, 3, …
final class Numbers: Sendable {
    private let last = Atomic<Int>(0)

    func next() -> Int { last.wrappingAdd(1, ordering: .relaxed).newValue }
}
