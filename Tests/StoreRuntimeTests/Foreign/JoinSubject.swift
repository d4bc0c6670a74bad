import StoreEngine
import StoreRuntime
import TestSupport

/// Three requests joined into one sequence. All parts of an element have the same position.
final class JoinSubject: ForeignSubject {
    private let requests: (FetchRequest<Sensor>, FetchRequest<Slot>, FetchRequest<Sensor>)
    private var updates: LiveJoin<JoinedUpdate<Sensor, Slot, Sensor>>.Iterator
    private var rows: ([Sensor], [Slot], [Sensor]) = ([], [], [])
    private var hasBegun = false

    init(
        _ first: FetchRequest<Sensor>, _ second: FetchRequest<Slot>, _ third: FetchRequest<Sensor>, in store: Store
    ) throws {
        requests = (try first.ordered(in: store), try second.ordered(in: store), try third.ordered(in: store))
        updates = store.updates(of: first, second, third).makeAsyncIterator()
    }

    // The join delivers only through its sequence, so there is nothing to compare here.
    func look(in view: borrowing ReadView) throws {}

    func follow(in store: Store) async throws {
        let fresh = try store.view { view in
            (try view.fetch(requests.0), try view.fetch(requests.1), try view.fetch(requests.2))
        }
        if hasBegun, try exact(rows) == exact(fresh) { return }
        hasBegun = true
        guard let update = try await updates.next() else { throw Mismatch("the joined updates end") }
        let results = (Array(update.results.0), Array(update.results.1), Array(update.results.2))
        guard try exact(results) == exact(fresh) else {
            throw Mismatch("\(results) are told together, not \(fresh): \(requests)")
        }
        rows.0 = update.changes.0.applied(to: rows.0, results: update.results.0)
        rows.1 = update.changes.1.applied(to: rows.1, results: update.results.1)
        rows.2 = update.changes.2.applied(to: rows.2, results: update.results.2)
        guard try exact(rows) == exact(fresh) else {
            throw Mismatch("the joined changes lead to \(rows), not \(fresh): \(requests)")
        }
    }

    private func exact(_ rows: ([Sensor], [Slot], [Sensor])) throws -> [[ExactRecord]] {
        [try ExactRecord.all(rows.0), try ExactRecord.all(rows.1), try ExactRecord.all(rows.2)]
    }
}
