import ModelStore
import ModelStoreComponents
import Testing

private func make() -> [String: Int] { ["a": 1] }

/// Published properties in all forms of declaration.
private final class Board: ObservableObject, Sendable {
    let journal = Journal()

    @Published var action: @Sendable () -> Int = { 1 }
    @Published var handler: (@Sendable (Int) -> Int)?
    @Published var scores = make() as [String: Int]
    @Published var names = [String]()
    @Published var marks = Set<Int>()

    @Published var level = 0 {
        willSet { journal.add("\(level) will be \(newValue)") }
        didSet {
            journal.add("\(oldValue) is \(level)")
            if level > 10 { level = 10 }
            guard level > 5 else { return }
            title = "high"
        }
    }

    @Published var title: String = "low" {
        didSet(old) { journal.add("\(old) to \(title)") }
    }

    @Published var size: Int {
        didSet { journal.add("size \(size)") }
    }

    init() { size = 3 }
}

@Suite struct PublishedFormTests {
    private let board = Board()

    @Test func `observers of a property run with each set`() {
        board.level = 3
        board.level = 3
        #expect(board.journal.take() == ["0 will be 3", "0 is 3", "3 will be 3", "3 is 3"])
    }

    @Test func `a set that an observer makes runs the observers of other properties alone`() {
        board.level = 12
        #expect(board.journal.take() == ["0 will be 12", "0 is 12", "low to high"] && board.level == 10)
    }

    @Test func `a set of a binding runs the observers`() {
        let board = board
        Binding(get: { board.level }, set: { board.level = $0 }).update { $0 += 4 }
        #expect(board.journal.take() == ["0 will be 4", "0 is 4"] && board.level == 4)
    }

    @Test func `an initializer runs no observers of a property without an initial value`() {
        #expect(board.journal.take() == [] && board.size == 3)
        board.size = 4
        #expect(board.journal.take() == ["size 4"])
    }

    @Test func `a change in an observer is published`() async {
        var values = board.$level.makeAsyncIterator()
        #expect(await values.next() == 0)
        board.level = 20
        #expect(await values.next() == 10)
    }

    @Test func `a closure is published`() async {
        var handlers = board.$handler.makeAsyncIterator()
        let first = await handlers.next()
        #expect(first != nil && board.handler == nil && board.action() == 1)
        board.handler = { $0 + 1 }
        board.action = { 2 }
        let handler = await handlers.next() ?? nil
        #expect(handler?(4) == 5 && board.action() == 2)
    }

    @Test func `a type that the initial value names needs no annotation`() {
        board.scores["b"] = 2
        board.names.append("n")
        board.marks.insert(1)
        #expect(board.scores == ["a": 1, "b": 2] && board.names == ["n"] && board.marks == [1])
    }
}
