import ModelStore
import ModelStoreComponents
import TestSupport
import Testing

private struct DepthKey: PreferenceKey {
    static let defaultValue = 0
    static func reduce(value: inout Int, nextValue: () -> Int) { value += nextValue() }
}

/// Places a level within itself, and so on.
@Component
private struct Level {
    let rest: Int
    let round: Subject<Int>
    let journal: Journal
    @Environment(\.[SampleName<Zeros>()]) private var spot: Spot

    func update(_ context: inout ComponentContext) {
        _ = round.value
        context.preference(DepthKey.self, 1)
        if rest > 1 { return context.place(Level(rest: rest - 1, round: round, journal: journal)) }
        journal.add("\(spot.x.sign)")
        let journal = journal
        context.onClose { journal.add("closes") }
    }
}

@Component
private struct Depths {
    let count: Int
    let round: Subject<Int>
    let spot: Subject<Spot>
    let journal: Journal

    func update(_ context: inout ComponentContext) {
        let journal = journal
        context.onPreferenceChange(DepthKey.self) { journal.add("\($0)") }
        context.place(Level(rest: count, round: round, journal: journal)) { $0[\.[SampleName<Zeros>()]] = spot.value }
    }
}

/// Fails in a level far below.
@Component
private struct Refusing {
    let rest: Int

    func update(_ context: inout ComponentContext) throws {
        if rest == 0 { throw CancellationError() }
        context.place(Refusing(rest: rest - 1))
    }
}

/// Trees of many nested components.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct DeepTreeTests {
    /// A cost that is quadratic in the depth exceeds the suite's time limit.
    @Test func `the cost of nested components is linear in their depth`() async throws {
        let journal = Journal()
        let (round, spot) = (Subject(0), Subject(Spot(x: 0)))
        let count = 50_000
        try await OwnershipRegistry().withScope("app") { scope in
            let host = try await scope.host { Depths(count: count, round: round, spot: spot, journal: journal) }
            #expect(journal.take() == ["plus", "\(count)"])
            round.send(1)
            try await host.settle()
            #expect(await host.counters.updateCount == 2 * count + 1)
            #expect(journal.take() == ["plus"])
            spot.send(Spot(x: -1))
            try await host.settle()
            #expect(journal.take() == ["minus"])
        }
        #expect(journal.take() == ["closes"])
    }

    @Test func `the path of a deep component leaves out the names in the middle`() async throws {
        let notices = try await Scene.run { scene in
            _ = try await scene.scope.host { Refusing(rest: 200) }
        }
        let path = try #require(notices.all.first?.scope)
        #expect(path.hasPrefix("app/… (151 more)/Refusing/Refusing") && path.count < 500)
    }
}
