import ModelStore
import ModelStoreComponents
import TestSupport
import Testing

private struct Errand: Sendable, Equatable {
    let id: Int
    var title: String
    var note: String?
}

@Component
private struct TaskList {
    let journal: Journal
    @Binding var tasks: [Errand]

    init(_ journal: Journal, _ tasks: Binding<[Errand]>) {
        self.journal = journal
        _tasks = tasks
    }

    func update(_ context: inout ComponentContext) {
        journal.add("list")
        for task in $tasks.elements {
            context.place(TaskRow(journal: journal, task: task), id: task.wrappedValue.id)
        }
    }
}

@Component
private struct TaskRow {
    let journal: Journal
    @Binding var task: Errand

    func update(_ context: inout ComponentContext) { journal.add("\(task.id) \(task.title)") }
}

@Component
private struct TaskRows {
    let journal: Journal
    let rows: [Binding<Errand>]

    func update(_ context: inout ComponentContext) {
        for (number, row) in rows.enumerated() { context.place(TaskRow(journal: journal, task: row), id: number) }
    }
}

/// Bindings that are made of other bindings.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct BindingFormTests {
    private let journal = Journal()
    private let tasks = Subject((0..<3).map { Errand(id: $0, title: "task \($0)") })

    @Test func `a row sets its element of a collection`() async throws {
        let (journal, tasks) = (journal, tasks)
        try await OwnershipRegistry().withScope("app") { scope in
            let host = try await scope.host { TaskList(journal, tasks.binding) }
            #expect(journal.take() == ["list", "0 task 0", "1 task 1", "2 task 2"])
            tasks.binding[1].title.wrappedValue = "other"
            #expect(tasks.value.map(\.title) == ["task 0", "other", "task 2"])
            try await host.settle()
            #expect(journal.take().contains("1 other"))
            tasks.update { $0.removeLast(2) }
            try await host.settle()
            #expect(!journal.take().contains { $0.hasPrefix("1 ") || $0.hasPrefix("2 ") })
        }
    }

    @Test func `a row depends on its element alone`() async throws {
        let (journal, tasks) = (journal, tasks)
        try await OwnershipRegistry().withScope("app") { scope in
            let rows = tasks.binding.elements
            let host = try await scope.host { TaskRows(journal: journal, rows: rows) }
            _ = journal.take()
            rows[2].update { $0.title = "last" }
            try await host.settle()
            #expect(journal.take() == ["2 last"])
        }
    }

    @Test func `a binding to an element that is gone shows the element, and sets nothing`() {
        let last = tasks.binding[2]
        tasks.update { $0.removeLast() }
        #expect(last.wrappedValue.title == "task 2")
        last.title.wrappedValue = "other"
        #expect(last.wrappedValue.title == "task 2" && tasks.value.count == 2)
        tasks.update { $0.append(Errand(id: 7, title: "new")) }
        #expect(last.wrappedValue.id == 7)
    }

    @Test func `a parameter takes the binding of an element`() {
        tasks.binding.elements.forEach { $task in
            task.title += "!"
            $task.note.wrappedValue = "seen"
        }
        #expect(tasks.value.map(\.title) == ["task 0!", "task 1!", "task 2!"])
        #expect(tasks.value.allSatisfy { $0.note == "seen" })
    }

    @Test func `a binding to an optional leads to its value while it has one`() throws {
        let task = tasks.binding[0]
        #expect(Binding(task.note) == nil)
        task.note.wrappedValue = "first"
        let note = try #require(Binding(task.note))
        note.update { $0 += " of all" }
        #expect(task.note.wrappedValue == "first of all" && note.wrappedValue == "first of all")
        task.note.wrappedValue = nil
        note.wrappedValue = "another"
        #expect(task.note.wrappedValue == nil && note.wrappedValue == "first")
    }

    @Test func `a binding to an optional of an optional leads to its value, which may be nil`() throws {
        let count = Subject<Int??>(.some(nil))
        let value = try #require(Binding<Int?>(count.binding))
        #expect(value.wrappedValue == nil)
        value.wrappedValue = 5
        #expect(count.value == .some(5))
        count.send(.none)
        #expect(Binding<Int?>(count.binding) == nil)
    }
}
