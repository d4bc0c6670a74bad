import StoreEngine
import TestSupport

@testable import StoreRuntime

/// A live query with a subscriber that applies each update to its rows.
final class QuerySubject<R: Record>: ForeignSubject {
    private let request: FetchRequest<R>
    private let fields: FieldIndexSet?
    let query: LiveQuery<R>
    private var updates: LiveUpdates<R>.Iterator
    private var rows: [R] = []
    private var hasBegun = false

    /// - Parameter fields: The fields of interest; nil for all.
    init(_ request: FetchRequest<R>, fields: FieldIndexSet?, in store: Store) throws {
        self.request = try request.ordered(in: store)
        self.fields = fields
        var watching = request
        watching.watched = fields
        query = try store.liveQuery(watching)
        updates = query.updates.makeAsyncIterator()
    }

    func look(in view: borrowing ReadView) throws {
        let (shown, fresh) = (try query.results, try view.fetch(request))
        guard try told(Array(shown)) == told(fresh) else {
            throw Mismatch("\(shown.map(\.recordID)) are shown, not \(fresh.map(\.recordID)): \(request.request)")
        }
        let models = try query.models
        guard models.map(\.id) == fresh.map(\.recordID) else { throw Mismatch("other models: \(request.request)") }
        for (model, record) in zip(models, fresh).prefix(3) {
            guard try ExactRecord(model.record) == ExactRecord(record) else {
                throw Mismatch("the model of \(model.id) shows \(model.record), not \(record)")
            }
        }
    }

    func follow(in store: Store) async throws {
        let fresh = try store.view { view in try view.fetch(request) }
        let isNews = try !hasBegun || told(fresh) != told(rows)
        hasBegun = true
        guard let update = try await isNews ? updates.next() : updates.poll() else {
            if isNews { throw Mismatch("the updates end: \(request.request)") }
            return
        }
        guard try told(Array(update.results)) == told(fresh) else {
            throw Mismatch(
                "\(update.results.map(\.recordID)) are told, not \(fresh.map(\.recordID)): \(request.request)")
        }
        let applied = update.changes.applied(to: rows, results: update.results)
        guard try told(applied) == told(fresh) else {
            throw Mismatch("the changes lead to \(applied), not \(fresh): \(request.request)")
        }
        // A subscriber to some fields receives no changes of other fields, so its old values can differ.
        if fields == nil {
            let known = Set(try ExactRecord.all(rows))
            for one in update.changes.updates where try !known.contains(ExactRecord(one.old)) {
                throw Mismatch("\(one.old) was told never: \(request.request)")
            }
        }
        rows = Array(update.results)
    }

    /// Returns the compared part of the records. Fields outside `fields` may be as old as the last update, so they are left out.
    private func told(_ records: [R]) throws -> [ExactRecord] {
        var told = try ExactRecord.all(records)
        guard let fields else { return told }
        let type = R.recordSchema
        for index in told.indices {
            told[index].keep { fields.contains($0) || type.id.fields.contains($0) }
        }
        return told
    }
}
