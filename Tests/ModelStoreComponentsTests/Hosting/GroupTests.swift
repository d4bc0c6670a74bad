import ModelStore
import ModelStoreComponents
import TestSupport
import Testing

/// Polls one or two things with a helper function.
@Component
private struct Polling {
    enum Form: String, CaseIterable, CustomTestStringConvertible {
        case groups, ids, bare

        var testDescription: String { rawValue }
    }

    let journal: Journal
    let numbers: Numbers
    let form: Form
    let pollsFirst: Subject<Bool>

    func update(_ context: inout ComponentContext) {
        let pollsFirst = pollsFirst.value
        switch form {
        case .groups:
            if pollsFirst { context.group { poll(&$0, "a", 1) } }
            context.group { poll(&$0, "b", 2) }
        case .ids:
            for name in pollsFirst ? ["a", "b"] : ["b"] {
                context.group(id: name) { poll(&$0, name, name == "a" ? 1 : 2) }
            }
        case .bare:
            if pollsFirst { poll(&context, "a", 1) }
            poll(&context, "b", 2)
        }
    }

    private func poll(_ context: inout ComponentContext, _ name: String, _ value: Int) {
        context.task { [journal] in
            await withTaskCancellationHandler {
                journal.add("poll \(name)")
                await journal.until { $0.contains("cancel \(name)") }
            } onCancel: {
                journal.add("cancel \(name)")
            }
        }
        context.onChange(of: value) { [journal] in journal.add("change \(name) \($0) to \($1)") }
        context.place(Polled(journal: journal, numbers: numbers, name: name))
        context.place(Polled(journal: journal, numbers: numbers, name: name), id: 1)
    }
}

@Component
private struct Polled {
    let journal: Journal
    let name: String
    @StateObject var thing: Thing

    init(journal: Journal, numbers: Numbers, name: String) {
        self.journal = journal
        self.name = name
        _thing = StateObject(wrappedValue: Thing(Journal(), numbers))
    }

    func update(_ context: inout ComponentContext) { journal.add("\(name) has \(thing.number)") }
}

/// Children, tasks and handlers of helper functions.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct GroupTests {
    private let journal = Journal()

    @Test(arguments: [Polling.Form.groups, .ids])
    fileprivate func
        `the calls of a helper function in groups keep their tasks and state when another call goes and comes`(
            form: Polling.Form
        ) async throws
    {
        let notices = try await Scene.run { scene in
            let pollsFirst = Subject(true)
            let host = try await scene.scope.host { [journal] in
                Polling(journal: journal, numbers: scene.numbers, form: form, pollsFirst: pollsFirst)
            }
            await journal.until { $0.contains("poll a") && $0.contains("poll b") }
            #expect(journal.take().filter { $0.contains("has") } == ["a has 1", "a has 2", "b has 3", "b has 4"])
            pollsFirst.send(false)
            try await host.settle()
            await journal.until { $0.contains("cancel a") }
            #expect(journal.take().sorted() == ["cancel a"])
            pollsFirst.send(true)
            try await host.settle()
            await journal.until { $0.contains("poll a") }
            #expect(journal.take().sorted() == ["a has 5", "a has 6", "poll a"])
        }
        #expect(notices.all.map(\.code) == [])
    }

    @Test func `a line that runs another number of times without ids gives a notice`() async throws {
        let notices = try await Scene.run { scene in
            let pollsFirst = Subject(true)
            let host = try await scene.scope.host { [journal] in
                Polling(journal: journal, numbers: scene.numbers, form: .bare, pollsFirst: pollsFirst)
            }
            await journal.until { $0.contains("poll a") && $0.contains("poll b") }
            #expect(scene.notices.of(.missingID).isEmpty)
            pollsFirst.send(false)
            try await host.settle()
            #expect(Set(scene.notices.of(.missingID).compactMap(\.line)).count == 3)
            #expect(scene.notices.of(.missingID).allSatisfy { $0.message.contains("context.group") })
        }
        #expect(notices.all.allSatisfy { $0.code == .missingID || $0.code == .repeatedID })
    }
}
