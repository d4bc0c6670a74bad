import LMDB
import StoreEngine

/// The live models of one record type, whatever that is.
protocol ModelTable: AnyObject, Sendable {
    /// Whether there are none.
    var isEmpty: Bool { get }

    /// The number of the record type in a catalog; nil where the catalog lacks it.
    func typeNumber(_ catalog: Catalog) -> UInt32?

    /// Gives models their versions after a step, and adds those that it concerns to `publishers`.
    ///
    /// A model whose record cannot be decoded ends: it keeps its last values, and asking for it again tells the error.
    ///
    /// - Parameter previous: the position of the step before.
    func apply(
        _ changes: [StepChange], from previous: UInt64, to position: Position, _ catalog: Catalog,
        _ publishers: inout [any Publishing]
    )

    /// Reads all models' records again; as ``apply(_:from:to:_:_:)`` otherwise.
    func refresh(_ scope: borrowing ReadingScope, at position: Position, _ publishers: inout [any Publishing])

    /// Tells all observers that nothing comes any more.
    func endAll()

    /// The models, for reports.
    var liveModels: [any OwnedModel] { get }
}

/// The live models of a record type: one for each id, known for as long as somebody uses it.
///
/// - `entries` is protected by its mutex. No model may be let go while it is held: the last reference's end takes it.
/// - `slots` is constant.
final class TypedModelTable<R: Record>: ModelTable {
    private struct Entry {
        weak var model: Model<R>?
        /// Tells the model from an earlier one of the same key.
        let serial: UInt64
    }

    let timeline: Timeline
    /// What Observation knows the fields by; made once, as making one takes a microsecond.
    let slots: [any KeyPath<Model<R>, Void> & Sendable]
    private let entries = HandoverMutex<[[UInt8]: Entry]>([:])
    private let lastSerial = HandoverMutex<UInt64>(0)

    init(_ timeline: Timeline) {
        self.timeline = timeline
        // The last one is for whether the record was deleted.
        slots = (0...R.recordSchema.fields.count).map { \Model<R>.[_slot: $0] }
    }

    /// The slot for ``Model/isDeleted``.
    var deletedSlot: Int { slots.count - 1 }

    var isEmpty: Bool { entries.withLock { $0.isEmpty } }

    func typeNumber(_ catalog: Catalog) -> UInt32? { (try? catalog.binding(R.self))?.type.type.id }

    /// The live model of a key.
    func find(_ key: [UInt8]) -> Model<R>? { entries.withLock { $0[key]?.model } }

    /// Adds a model, unless there is one.
    ///
    /// - Parameters:
    ///   - isLate: whether the model may lack what was applied since it was read.
    /// - Returns: the model of the key; nil when it has to be read again.
    func add(_ model: Model<R>, isLate: () -> Bool) -> Model<R>? {
        entries.withLock { entries in
            if let found = entries[model.key]?.model { return found }
            if isLate() { return nil }
            entries[model.key] = Entry(model: model, serial: model.serial)
            return model
        }
    }

    /// A number for a new model.
    func makeSerial() -> UInt64 {
        lastSerial.withLock { last in
            last += 1
            return last
        }
    }

    /// Forgets a model that ends.
    func remove(_ key: [UInt8], serial: UInt64) {
        entries.withLock { entries in
            if entries[key]?.serial == serial { entries[key] = nil }
        }
    }

    func apply(
        _ changes: [StepChange], from previous: UInt64, to position: Position, _ catalog: Catalog,
        _ publishers: inout [any Publishing]
    ) {
        guard !isEmpty, let binding = try? catalog.binding(R.self) else { return }
        for change in changes where change.type === binding.type {
            guard let model = find(change.key) else { continue }
            publishers.append(model)
            switch change.kind {
            case .delete, .replace: delete(model, at: position)
            default:
                // What was read in the middle of the step has part of its changes.
                let isExact = model.newestSequence <= previous
                let changed = isExact ? ChangedFields<R>(change.changedPlaces, binding) : nil
                endingOnError(model) { () throws(StoreError) in
                    guard let content = change.after else { return }
                    model.become(try content.record(R.self, binding), at: position, changed)
                }
            }
        }
    }

    func refresh(
        _ scope: borrowing ReadingScope, at position: Position, _ publishers: inout [any Publishing]
    ) {
        guard !isEmpty, let binding = try? scope.state.catalog.binding(R.self) else { return }
        for model in all {
            publishers.append(model)
            endingOnError(model) { () throws(StoreError) in
                if let content = try scope.content(of: binding.type, key: model.key) {
                    model.become(try content.record(R.self, binding), at: position, nil)
                } else {
                    delete(model, at: position)
                }
            }
        }
    }

    /// Ends a model whose record cannot be read. Others, and live results, must not suffer from that.
    private func endingOnError(_ model: Model<R>, _ body: () throws(StoreError) -> Void) {
        do {
            try body()
        } catch {
            remove(model.key, serial: model.serial)
            model.end()
        }
    }

    private func delete(_ model: Model<R>, at position: Position) {
        remove(model.key, serial: model.serial)
        model.becomeDeleted(at: position)
    }

    func endAll() {
        for model in all { model.end() }
    }

    var liveModels: [any OwnedModel] { all }

    private var all: [Model<R>] { entries.withLock { $0.values.compactMap(\.model) } }
}
