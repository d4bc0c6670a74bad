import LMDB
import StoreEngine

/// The live models of one record type, whatever that is.
protocol ModelTable: AnyObject, Sendable {
    /// Whether there are none.
    var isEmpty: Bool { get }

    /// The number of the record type in a catalog; nil where the catalog lacks it.
    func typeNumber(_ catalog: Catalog) -> UInt32?

    /// Gives models their versions after a step, and adds those that changed to `publication`.
    ///
    /// A model whose record cannot be decoded ends: it keeps its last values, and asking for it again tells the error.
    ///
    /// - Parameter previous: the position of the step before.
    func apply(
        _ changes: [StepChange], from previous: UInt64, to position: Position, _ catalog: Catalog,
        _ publication: inout Publication
    )

    /// Reads all models' records again; as ``apply(_:from:to:_:_:)`` otherwise.
    func refresh(_ scope: borrowing ReadingScope, at position: Position, _ publication: inout Publication)

    /// Tells all observers that nothing comes any more.
    func endAll()

    /// The models, for reports.
    var liveModels: [any OwnedModel] { get }
}

/// The live models of a record type: one for each id, known for as long as somebody uses it. All is constant.
final class TypedModelTable<R: Record>: ModelTable {
    let timeline: Timeline
    let slots = ModelSlots(fieldCount: R.recordSchema.fields.count)
    private let index = ModelIndex()

    init(_ timeline: Timeline) { self.timeline = timeline }

    var isEmpty: Bool { index.isEmpty }

    func typeNumber(_ catalog: Catalog) -> UInt32? { (try? catalog.binding(R.self))?.type.type.id }

    /// The live model of a key.
    func find(_ key: [UInt8]) -> Model<R>? { TypedModelTable.typed(index.find(key)?.model) }

    /// Adds a model, unless there is one.
    ///
    /// - Parameter isLate: whether the model may lack what was applied since it was read.
    /// - Returns: the model of the key; nil when it has to be read again.
    func add(_ model: Model<R>, isLate: () -> Bool) -> Model<R>? {
        TypedModelTable.typed(index.add(model.state, isLate: isLate))
    }

    // The states of this table's index are made by models of `R` alone.
    private static func typed(_ model: AnyObject?) -> Model<R>? {
        model.map { unsafe unsafeDowncast($0, to: Model<R>.self) }
    }

    /// Forgets a model that ends.
    func remove(_ state: ModelState) { index.remove(state) }

    func apply(
        _ changes: [StepChange], from previous: UInt64, to position: Position, _ catalog: Catalog,
        _ publication: inout Publication
    ) {
        guard !isEmpty, let binding = try? catalog.binding(R.self) else { return }
        for (place, state) in index.touched(by: changes, of: binding.type) {
            let change = changes[place]
            switch change.kind {
            case .delete, .replace: delete(state, at: position, &publication)
            default:
                endingOnError(state) { () throws(StoreError) in
                    guard let record = try change.after?.freshRecord(R.self, binding) else { return }
                    let version = state.push(at: position) { before in
                        // What was read in the middle of the step has part of its changes.
                        let isExact = before.sequence <= previous
                        return self.version(
                            of: record, at: position, after: before,
                            isExact ? binding.declaredPlaces(of: change.changedPlaces) : nil)
                    }
                    if let version { publication.models.append((state, version)) }
                }
            }
        }
    }

    func refresh(_ scope: borrowing ReadingScope, at position: Position, _ publication: inout Publication) {
        guard !isEmpty, let binding = try? scope.state.catalog.binding(R.self) else { return }
        for state in index.all {
            endingOnError(state) { () throws(StoreError) in
                guard let content = try scope.content(of: binding.type, key: state.key) else {
                    return delete(state, at: position, &publication)
                }
                let record = try content.freshRecord(R.self, binding)
                let version = state.push(at: position) { before in
                    self.version(of: record, at: position, after: before, nil)
                }
                if let version { publication.models.append((state, version)) }
            }
        }
    }

    /// The version that follows `before`; nil where nothing changed.
    ///
    /// - Parameter changed: the declared fields that changed; nil where that has to be found out.
    private func version(
        of record: R, at position: Position, after before: AnyModelVersion, _ changed: PlaceSet?
    ) -> ModelVersion<R>? {
        let changed = changed ?? ChangedFields(from: before.of(R.self).record, to: record).declaredPlaces
        if changed.isEmpty { return nil }
        return ModelVersion(record, at: position, after: before.sequence, changedPlaces: changed)
    }

    /// Ends a model whose record cannot be read. Others, and live results, must not suffer from that.
    private func endingOnError(_ state: ModelState, _ body: () throws(StoreError) -> Void) {
        do {
            try body()
        } catch {
            remove(state)
            state.end()
        }
    }

    private func delete(_ state: ModelState, at position: Position, _ publication: inout Publication) {
        remove(state)
        let version = state.push(at: position) { before in
            ModelVersion(before.of(R.self).record, at: position, after: before.sequence, isDeleted: true)
        }
        if let version { publication.models.append((state, version)) }
    }

    func endAll() {
        for state in index.all { state.end() }
    }

    var liveModels: [any OwnedModel] { index.all.compactMap { TypedModelTable.typed($0.model) } }
}
