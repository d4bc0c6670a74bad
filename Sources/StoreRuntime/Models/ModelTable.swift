import LMDB
import StoreEngine

/// The live models of one record type, usable without that type.
protocol ModelTable: AnyObject, Sendable {
    /// Whether the table has no models.
    var isEmpty: Bool { get }

    /// The number of the record type in a catalog; nil if the catalog lacks it.
    func typeNumber(_ catalog: Catalog) -> UInt32?

    /// Applies a step to the models, and adds the changed models to `publication`.
    ///
    /// A model whose record cannot be decoded keeps its last values, and has the error, until the record can be decoded again.
    ///
    /// - Parameters:
    ///   - previous: the position of the previous step.
    ///   - scope: the step's snapshot.
    func apply(
        _ changes: [StepChange], from previous: UInt64, in scope: borrowing ReadContext, at position: Position,
        _ publication: inout Publication
    )

    /// Reads the records of all models again; otherwise as ``apply(_:from:in:at:_:)``.
    func refresh(
        from previous: UInt64, in scope: borrowing ReadContext, at position: Position,
        _ publication: inout Publication
    )

    /// Notifies all observers, also those that are added later, that no more changes come.
    func endAll()

    /// The models, for reports.
    var liveModels: [any OwnedModel] { get }
}

/// The live models of a record type: one for each id, known as long as any reference to it exists. All properties are constant.
final class TypedModelTable<R: Record>: ModelTable {
    let timeline: Timeline
    let slots = ModelSlots(fieldCount: R.recordSchema.fields.count)
    private let index = ModelIndex()

    init(_ timeline: Timeline) { self.timeline = timeline }

    var isEmpty: Bool { index.isEmpty }

    func typeNumber(_ catalog: Catalog) -> UInt32? { (try? catalog.binding(R.self))?.type.type.id }

    /// Returns the live model of a key.
    func find(_ key: [UInt8]) -> Model<R>? { TypedModelTable.typed(index.find(key)?.model) }

    /// Adds a model, unless the key has one.
    ///
    /// - Parameter applying: returns the position that is being applied, or was applied last.
    /// - Returns: the model of the key; nil if its record has to be read again.
    func add(_ model: Model<R>, applying: () -> UInt64) -> Model<R>? {
        TypedModelTable.typed(index.add(model.state, applying: applying))
    }

    // Only models of `R` create the states of this table's index.
    private static func typed(_ model: AnyObject?) -> Model<R>? {
        model.map { unsafe unsafeDowncast($0, to: Model<R>.self) }
    }

    /// Removes a model that ends.
    func remove(_ state: ModelState) { index.remove(state) }

    func apply(
        _ changes: [StepChange], from previous: UInt64, in scope: borrowing ReadContext, at position: Position,
        _ publication: inout Publication
    ) {
        // A step's net changes do not describe a record that was read at a position between the first and the last of them.
        let ahead = index.takeAhead(before: position.sequence)
        guard !isEmpty, let binding = try? scope.state.catalog.binding(R.self) else { return }
        refresh(ahead, binding, from: previous, scope, at: position, &publication)
        for (changeIndex, state) in index.touched(by: changes, of: binding.type) where state.newestSequence <= previous
        {
            let change = changes[changeIndex]
            switch change.kind {
            case .delete, .replace: delete(state, at: position, last: record(change.last, binding), &publication)
            default:
                guard let content = change.after else { continue }
                let record = Result { () throws(StoreError) in try content.freshRecord(R.self, binding) }
                // A field whose type the program declares in part may have changed only in the other part.
                let changed =
                    binding.hasUndeclaredParts ? nil : binding.declaredFieldIndexes(of: change.changedFieldIndexes)
                update(state, record, at: position, changed, &publication)
            }
        }
    }

    func refresh(
        from previous: UInt64, in scope: borrowing ReadContext, at position: Position,
        _ publication: inout Publication
    ) {
        _ = index.takeAhead(before: position.sequence)
        guard !isEmpty, let binding = try? scope.state.catalog.binding(R.self) else { return }
        refresh(index.all, binding, from: previous, scope, at: position, &publication)
    }

    /// Reads the records of models again. A deleted record has its last state only in the feed.
    private func refresh(
        _ states: [ModelState], _ binding: TypedBinding, from previous: UInt64, _ scope: borrowing ReadContext,
        at position: Position, _ publication: inout Publication
    ) {
        var gone: [ModelState] = []
        for state in states {
            let record: Result<R, StoreError>
            do throws(StoreError) {
                let content = try scope.content(of: binding.type, key: state.key)
                guard let content, content.incarnation == state.incarnation else {
                    gone.append(state)
                    continue
                }
                record = .success(try content.freshRecord(R.self, binding))
            } catch {
                record = .failure(error)
            }
            update(state, record, at: position, nil, &publication)
        }
        let contents = scope.lastContents(of: gone, binding.type, since: previous)
        for state in gone { delete(state, at: position, last: record(contents[state.key], binding), &publication) }
    }

    /// Gives a model its record, or the reason why the record cannot be read.
    ///
    /// - Parameter changed: the declared fields that changed; nil to compare the records.
    private func update(
        _ state: ModelState, _ record: Result<R, StoreError>, at position: Position, _ changed: FieldIndexSet?,
        _ publication: inout Publication
    ) {
        let version = state.push(at: position) { before in
            let old = before.of(R.self).record
            switch record {
            case .failure(let error): return ModelVersion(old, at: position, after: before, readFailure: error)
            case .success(let record):
                // A model that could not read its record lacks earlier changes too.
                let known = before.readFailure == nil ? changed : nil
                let changed = known ?? ChangedFields(from: old, to: record).declaredFieldIndexes
                if changed.isEmpty, before.readFailure == nil { return nil }
                return ModelVersion(record, at: position, after: before, changedFieldIndexes: changed)
            }
        }
        if let version { publication.models.append((state, version)) }
    }

    /// Returns the last record of a deleted model; nil if there is no content, or it cannot be read.
    private func record(_ last: RecordContent?, _ binding: TypedBinding) -> R? {
        last.flatMap { try? $0.freshRecord(R.self, binding) }
    }

    /// - Parameter last: the last record; nil if it is that of the previous version.
    private func delete(
        _ state: ModelState, at position: Position, last: R?, _ publication: inout Publication
    ) {
        let version = state.push(at: position) { before in
            let old = before.of(R.self).record
            let changed = last.map { ChangedFields(from: old, to: $0).declaredFieldIndexes }
            return ModelVersion(
                last ?? old, at: position, after: before, isDeleted: true,
                changedFieldIndexes: changed ?? FieldIndexSet(), readFailure: last == nil ? before.readFailure : nil)
        }
        guard let version else { return }
        index.remove(state)
        publication.models.append((state, version))
    }

    func endAll() {
        for state in index.end() { state.end() }
    }

    var liveModels: [any OwnedModel] { index.all.compactMap { TypedModelTable.typed($0.model) } }
}
