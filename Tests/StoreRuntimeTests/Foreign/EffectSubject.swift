import StoreEngine
import StoreRuntime
import TestSupport

/// An effect that reads models and live query results. It checks each run, and that the last run saw the current state.
final class EffectSubject: ForeignSubject {
    private let read: @Sendable (borrowing ReadView) throws -> [ExactRecord]
    private let effect: Effect
    private var runs: AsyncStream<Result<[ExactRecord], any Error>>.Iterator
    private var last: [ExactRecord]?

    init(_ queries: [LiveQuery<Sensor>], _ models: [Model<Sensor>], in store: Store) throws {
        let requests = try queries.map { try $0.request.ordered(in: store) }
        let read: @Sendable (borrowing ReadView) throws -> [ExactRecord] = { view in
            var seen: [ExactRecord] = []
            for (query, request) in zip(queries, requests) {
                let shown = try ExactRecord.all(query.results)
                guard try shown == ExactRecord.all(try view.fetch(request)) else {
                    throw Mismatch("an effect sees other results than are fetched: \(request.request)")
                }
                seen += shown
            }
            for model in models where !model.isDeleted {
                let record = try ExactRecord(model.record)
                guard let stored = try view.get(Sensor.self, id: model.id), try record == ExactRecord(stored) else {
                    throw Mismatch("an effect sees another model of \(model.id)")
                }
                seen.append(record)
            }
            return seen
        }
        self.read = read
        let (runs, continuation) = AsyncStream<Result<[ExactRecord], any Error>>.makeStream()
        self.runs = runs.makeAsyncIterator()
        effect = store.observe { [weak store] in
            guard let store else { return }
            continuation.yield(Result { try store.view { view in try read(view) } })
        }
    }

    deinit { effect.cancel() }

    func look(in view: borrowing ReadView) throws { _ = try read(view) }

    func follow(in store: Store) async throws {
        let expected = try store.view { view in try read(view) }
        while last != expected {
            guard let run = await runs.next(isolation: #isolation) else {
                throw Mismatch("an effect saw \(last ?? [])")
            }
            last = try run.get()
        }
    }
}
