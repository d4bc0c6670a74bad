import StoreEngine
import TestSupport

@testable import StoreRuntime

/// A model, the values of one of its fields, and its changes.
final class ModelSubject<R: Record, Value: FieldValue & Equatable & Sendable>: ForeignSubject {
    let model: Model<R>
    private let store: Store
    private let key: [UInt8]
    private let field: KeyPath<R.Fields, Field<R, Value>>
    private var values: ModelValues<R, Value>.Iterator
    private var changes: ModelChanges<R>.Iterator
    /// The last received value and record.
    private var value: Value?
    private var record: R?
    private var hasEnded = false
    /// The last state that the model showed, if known.
    private var shown: R?

    init(_ model: Model<R>, _ field: KeyPath<R.Fields, Field<R, Value>>, in store: Store) {
        self.model = model
        self.store = store
        self.field = field
        key = RecordKey.of(R.self, id: model.id, store.core.state.databases.keyHash)
        values = model.values(of: field).makeAsyncIterator()
        changes = model.changes.makeAsyncIterator()
    }

    func look(in view: borrowing ReadView) throws {
        guard let stored = try stored(in: view) else {
            guard model.isDeleted else { throw Mismatch("the model of \(model.id) lives") }
            return
        }
        guard !model.isDeleted else { throw Mismatch("the model of \(model.id) is deleted") }
        guard try ExactRecord(model.record) == ExactRecord(stored) else {
            throw Mismatch("the model of \(model.id) shows \(model.record), not \(stored)")
        }
        let same = try store.modelIfPresent(R.self, id: model.id)
        if same === model { return }
        // If the store returns a different model, the incarnation of this model must be older than the newest record: only the
        // view still has it.
        let newest = try store.read { tx in try StoredRecord<R>(key, in: tx._reading) }
        guard newest?.incarnation != model.state.incarnation else { throw Mismatch("\(model.id) has two models") }
    }

    /// Returns the stored record, if it has the model's incarnation.
    private func stored(in view: borrowing ReadView) throws -> R? {
        let stored = try StoredRecord<R>(key, in: view._reading)
        return stored?.incarnation == model.state.incarnation ? stored?.record : nil
    }

    func forget() { shown = nil }

    func follow(in store: Store) async throws {
        let stored: R? = try store.view { view in try self.stored(in: view) }
        if let stored {
            shown = stored
        } else if let shown, try ExactRecord(model.record) != ExactRecord(shown) {
            throw Mismatch("the deleted model of \(model.id) shows \(model.record), not \(shown)")
        }
        if hasEnded { return }
        try await followValues(stored)
        try await followChanges(stored)
        hasEnded = stored == nil
    }

    private func followValues(_ stored: R?) async throws {
        guard let stored else {
            // The newest value before the deletion comes, if it has not come yet, and nothing after it.
            guard let last = await values.next() else { return }
            if let value, try bytes(value) == bytes(last) { throw Mismatch("\(last) is told of \(model.id) twice") }
            if let more = await values.next() { throw Mismatch("\(more) is told of the deleted \(model.id)") }
            return
        }
        let new = FieldToken(R.fields[keyPath: field]).value(in: stored)
        if let value, try value == new || bytes(value) == bytes(new) { return }
        let told = await values.next()
        guard let told, try bytes(told) == bytes(new) else {
            throw Mismatch("\(told.map { "\($0)" } ?? "nothing") is told of \(model.id), not \(new)")
        }
        value = told
    }

    private func followChanges(_ stored: R?) async throws {
        if let stored, let record, try ExactRecord(stored) == ExactRecord(record) { return }
        guard let change = await changes.next() else { throw Mismatch("the changes of \(model.id) end") }
        let kind: ModelChange<R>.Kind = stored == nil ? .deleted : record == nil ? .current : .updated
        guard change.kind == kind, try exact(change.new) == exact(stored) else {
            throw Mismatch("\(change) is told of \(model.id), not \(kind) of \(String(describing: stored))")
        }
        guard try exact(change.old) == exact(record) else {
            throw Mismatch("\(change) is told of \(model.id), which was \(String(describing: record))")
        }
        record = stored
        if stored == nil, let more = await changes.next() { throw Mismatch("\(more) is told after the end") }
    }

    private func exact(_ record: R?) throws -> ExactRecord? { try record.map { try ExactRecord($0) } }

    private func bytes(_ value: Value) throws -> [UInt8] {
        var writer = ByteWriter()
        try value.encode(to: &writer)
        return writer.array()
    }
}
