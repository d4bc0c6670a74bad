import ModelStore
import ModelStoreComponents
import Synchronization
import TestSupport
import Testing

/// An object that keeps its value itself, and announces its changes.
private final class Gauge: ObservableObject, Sendable {
    private let stored = Mutex(0)

    var value: Int {
        get { stored.withLock { $0 } }
        set { objectWillChange.send { stored.withLock { $0 = newValue } } }
    }

    func announceFirst(_ value: Int) {
        objectWillChange.send()
        stored.withLock { $0 = value }
    }
}

@Component
private struct GaugeView {
    @ObservedObject var gauge: Gauge
    let shown: Shown

    func update(_ context: inout ComponentContext) { shown.value.store(gauge.value, ordering: .relaxed) }
}

/// The number that a component showed last.
private final class Shown: Sendable {
    let value = Atomic(0)
}

private final class Account: ObservableObject, Sendable {
    @Published var debit = 0
    @Published var credit = 0
}

@Component
private struct Balance {
    @ObservedObject var account: Account
    let journal: Journal

    func update(_ context: inout ComponentContext) {
        let (debit, credit) = (account.debit, account.credit)
        if debit != credit { journal.add("\(debit) \(credit)") }
    }
}

/// Sets both sides from a task.
@Component
private struct Booking {
    let account: Account
    let journal: Journal

    func update(_ context: inout ComponentContext) {
        context.task { [host = context.host, account, journal] in
            for number in 1...100 {
                await host.update {
                    account.debit = number
                    account.credit = number
                }
            }
            journal.add("done")
        }
        context.place(Balance(account: account, journal: journal))
    }
}

/// Changes that readers see only when they are complete.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct StepTests {
    private let journal = Journal()
    private let rounds = TestLength.runs(5_000, long: 100_000)

    @Test func `a component ends on the value that an object had after its announced change`() async throws {
        let notices = try await Scene.run { scene in
            let (gauge, shown) = (Gauge(), Shown())
            let host = try await scene.scope.host { GaugeView(gauge: gauge, shown: shown) }
            for number in 1...rounds {
                gauge.value = number
                try await host.settle()
                let last = shown.value.load(ordering: .relaxed)
                if last != number { throw Mismatch("\(last) instead of \(number)") }
            }
        }
        #expect(notices.all.isEmpty)
    }

    @Test func `a sequence of changes that begins at any time ends on the last value`() async throws {
        for _ in 0..<rounds / 10 {
            let gauge = Gauge()
            let reading = Task {
                for await _ in gauge.objectWillChange.values where gauge.value == 3 { return }
            }
            for number in 1...3 { gauge.value = number }
            await reading.value
        }
        for _ in 0..<rounds / 10 {
            let account = Account()
            let reading = Task {
                for await _ in account.objectWillChange.values where account.debit == 3 { return }
            }
            for number in 1...3 { account.debit = number }
            await reading.value
        }
    }

    @Test func `a change that throws is announced, and its error reaches the caller`() async {
        struct Refused: Error {}
        let gauge = Gauge()
        let token = gauge.objectWillChange.observe { [journal] in journal.add("\(gauge.value)") }
        #expect(throws: Refused.self) { try gauge.objectWillChange.send { throw Refused() } }
        #expect(gauge.objectWillChange.send { 7 } == 7)
        #expect(journal.take() == ["0", "0"])
        token.cancel()
    }

    @Test func `an announcement outside the host gives a notice in debug builds, one on the host does not`()
        async throws
    {
        try await Scene.run { scene in
            let (gauge, shown) = (Gauge(), Shown())
            gauge.announceFirst(1)
            let host = try await scene.scope.host { GaugeView(gauge: gauge, shown: shown) }
            await host.update { gauge.announceFirst(2) }
            try await host.settle()
            #expect(shown.value.load(ordering: .relaxed) == 2 && scene.notices.all.isEmpty)
            gauge.announceFirst(3)
            #if DEBUG
            let notice = try #require(scene.notices.of(.earlySend).first)
            #expect(notice.line?.file.hasSuffix("StepTests.swift") == true)
            #expect(notice.message.contains("objectWillChange.send { … }"))
            #endif
        }
    }

    @Test func `no update sees some of the changes that the host makes in one step`() async throws {
        try await Scene.run { scene in
            let account = Account()
            let host = try await scene.scope.host { [journal] in Balance(account: account, journal: journal) }
            await withTaskGroup { group in
                for _ in 0..<2 {
                    group.addTask { [rounds] in
                        for _ in 0..<rounds / 2 {
                            await host.update {
                                account.debit += 1
                                account.credit += 1
                            }
                        }
                    }
                }
            }
            try await host.settle()
            #expect(journal.take() == [] && account.credit == account.debit && account.debit == rounds / 2 * 2)
        }
    }

    @Test func `a step returns its result, and throws its error after the changes before it`() async throws {
        struct Refused: Error {}
        try await Scene.run { scene in
            let account = Account()
            let host = try await scene.scope.host { [journal] in Balance(account: account, journal: journal) }
            #expect(await host.update { 7 } == 7)
            await #expect(throws: Refused.self) {
                try await host.update {
                    account.debit = 1
                    throw Refused()
                }
            }
            try await host.settle()
            #expect(journal.take() == ["1 0"])
        }
    }

    @Test func `a task of a component makes a step with the component's host`() async throws {
        try await Scene.run { scene in
            let account = Account()
            let host = try await scene.scope.host { [journal] in Booking(account: account, journal: journal) }
            await journal.until { $0.contains("done") }
            try await host.settle()
            #expect(account.credit == 100 && journal.all == ["done"])
        }
    }
}
