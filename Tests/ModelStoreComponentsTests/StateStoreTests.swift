import ModelStore
import ModelStoreComponents
import Observation
import TestSupport
import Testing

private struct House: Sendable {
    var items = Array(0..<6)
    var rooms: [Int: String] = [:]
    var visits = 0
}

private enum HouseAction: Sendable {
    case shorten
    case visit
    case count(Int)
    case name(Int, String)
    case tour
}

/// Shows one element, with a child that shows another.
@Component
private struct Hall {
    let journal: Journal
    let house: StateStore<House, HouseAction>

    func update(_ context: inout ComponentContext) {
        journal.add("\(house.visits) visits")
        context.place(Rooms(journal: journal, house: house))
    }
}

@Component
private struct Rooms {
    let journal: Journal
    let house: StateStore<House, HouseAction>

    func update(_ context: inout ComponentContext) { journal.add("\(house.rooms.count) rooms") }
}

/// Which observers a state has, and for how long.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct StateStoreTests {
    private let house = StateStore(House()) { (state, action: HouseAction) in
        switch action {
        case .shorten: state.items.removeLast()
        case .visit: state.visits += 1
        case .count(let visits): state.visits = visits
        case .name(let room, let name): state.rooms[room] = name
        case .tour:
            state.visits += 1
            state.rooms[state.visits] = "seen"
        }
    }

    /// Reading an element that does not exist would end the process.
    @Test func `an element that nobody observes any more is not read of later states`() async throws {
        let journal = Journal()
        let last = house.binding(\.items[5]) { _ in .visit }
        #expect(last.wrappedValue == 5 && house[dynamicMember: \.items[5]] == 5)
        // The element is observed until it changes, or until its observer ends.
        withObservationTracking {
            _ = (house[dynamicMember: \.items[5]], house.visits)
        } onChange: {
            journal.add("changed")
        }
        do {
            var values = house.values(of: \.items[5]).makeAsyncIterator()
            #expect(await values.next() == 5)
        }
        try await OwnershipRegistry().withScope("app") { scope in
            try scope.observe { [house] in journal.add("sees \(house[dynamicMember: \.items[5]])") }
            await journal.until { $0.contains("sees 5") }
        }
        house.send(.visit)
        #expect(journal.count("changed") == 1)
        for _ in 0..<6 { house.send(.shorten) }
        #expect(house.content.items.isEmpty && house.elementCount == 0)
    }

    @Test func `elements are noted for as long as somebody observes them`() async {
        var values = house.values(of: \.rooms[7]).makeAsyncIterator()
        #expect(await values.next() == .some(nil))
        for room in 0..<10_000 { _ = house[dynamicMember: \.rooms[room]] }
        #expect(house.elementCount < 100)
        house.send(.visit)
        #expect(house.elementCount == 1)
        house.send(.name(7, "hall"))
        #expect(await values.next() == "hall")
    }

    @Test func `what Observation watches is told, however long that takes`() async {
        let journal = Journal()
        withObservationTracking {
            _ = house[dynamicMember: \.rooms[3]]
        } onChange: {
            journal.add("changed")
        }
        for room in 100..<1_000 {
            _ = house[dynamicMember: \.rooms[room]]
            house.send(.visit)
        }
        #expect(journal.all.isEmpty && house.elementCount == 1)
        house.send(.name(3, "hall"))
        #expect(journal.all == ["changed"])
    }

    @Test func `a change through a binding is made again where an action has come between`() {
        let journal = Journal()
        let visits = house.binding(\.visits) { .count($0) }
        visits.update { [house] visits in
            journal.add("changes \(visits)")
            if visits < 3 { house.send(.visit) }
            visits += 10
        }
        #expect(house.content.visits == 13)
        #expect(journal.all == ["changes 0", "changes 1", "changes 2", "changes 3"])
    }

    /// Slow observers of the same elements are notified between the components that show them.
    @Test func `what an action changes is shown in one pass, parents first`() async throws {
        let journal = Journal()
        try await OwnershipRegistry().withScope("app") { [house] scope in
            let host = try await scope.host { Hall(journal: journal, house: house) }
            #expect(journal.take() == ["0 visits", "0 rooms"])
            for tour in 1...20 {
                let passes = await host.counters.passCount
                for _ in 0..<2 {
                    withObservationTracking {
                        _ = (house.visits, house.rooms)
                    } onChange: {
                        for _ in 0..<20_000 where !journal.all.isEmpty { return }
                    }
                }
                house.send(.tour)
                try await host.settle()
                #expect(journal.take() == ["\(tour) visits", "\(tour) rooms"])
                #expect(await host.counters.passCount == passes + 1)
            }
        }
    }
}
