import StoreEngine

/// One operation of a write closure.
enum HistoryStep: Sendable {
    case insert(AnyModel)
    case upsert(AnyModel)
    case update(AnyModel)
    /// Changes the record with this id to this content, through the closure form.
    case change(AnyModel)
    /// Like `change`, with a condition that holds or does not.
    case changeWhere(AnyModel, holds: Bool)
    /// Tries to give the record another id through the closure form.
    case rekey(AnyModel, to: AnyModel)
    case updateIfUnchanged(AnyModel, original: AnyModel)
    case delete(AnyModel)
    case deleteWhere(AnyModel, holds: Bool)
    case deleteIfUnchanged(AnyModel)
}

/// The outcome of an operation.
struct StepResult: Hashable, Sendable {
    var error: StoreError.Code?
    /// The return value of a delete.
    var found: Bool?
    /// The stored record, if the operation returns it.
    var stored: AnyModel?
}

extension HistoryStep {
    /// Runs the operation in a transaction.
    func run(in tx: inout WriteTransaction) throws -> StepResult {
        do {
            return try perform(in: &tx)
        } catch let error as StoreError {
            return StepResult(error: error.code)
        }
    }

    private func perform(in tx: inout WriteTransaction) throws -> StepResult {
        switch self {
        case .insert(.sensor(let it)): StepResult(stored: .sensor(try tx.insert(it)))
        case .insert(.ticket(let it)): StepResult(stored: .ticket(try tx.insert(it)))
        case .insert(.slot(let it)): StepResult(stored: .slot(try tx.insert(it)))
        case .upsert(.sensor(let it)): StepResult(stored: .sensor(try tx.upsert(it)))
        case .upsert(.ticket(let it)): StepResult(stored: .ticket(try tx.upsert(it)))
        case .upsert(.slot(let it)): StepResult(stored: .slot(try tx.upsert(it)))
        case .update(.sensor(let it)): try with { try tx.update(it) }
        case .update(.ticket(let it)): try with { try tx.update(it) }
        case .update(.slot(let it)): try with { try tx.update(it) }
        case .change(let it): try change(it, holds: nil, in: &tx)
        case .changeWhere(let it, let holds): try change(it, holds: holds, in: &tx)
        case .rekey(let it, let other): try rekey(it, other, in: &tx)
        case .updateIfUnchanged(.sensor(let it), .sensor(let original)):
            try with { try tx.update(it, ifUnchanged: original) }
        case .updateIfUnchanged(.ticket(let it), .ticket(let original)):
            try with { try tx.update(it, ifUnchanged: original) }
        case .updateIfUnchanged(.slot(let it), .slot(let original)):
            try with { try tx.update(it, ifUnchanged: original) }
        case .updateIfUnchanged: StepResult()
        case .delete(.sensor(let it)): StepResult(found: try tx.delete(Sensor.self, id: it.id))
        case .delete(.ticket(let it)): StepResult(found: try tx.delete(Ticket.self, id: it.id))
        case .delete(.slot(let it)): StepResult(found: try tx.delete(Slot.self, id: it.recordID))
        case .deleteWhere(.sensor(let it), let holds):
            try with { try tx.delete(Sensor.self, id: it.id, where: { _ in holds }) }
        case .deleteWhere(.ticket(let it), let holds):
            try with { try tx.delete(Ticket.self, id: it.id, where: { _ in holds }) }
        case .deleteWhere(.slot(let it), let holds):
            try with { try tx.delete(Slot.self, id: it.recordID, where: { _ in holds }) }
        case .deleteIfUnchanged(.sensor(let it)): try with { try tx.delete(ifUnchanged: it) }
        case .deleteIfUnchanged(.ticket(let it)): try with { try tx.delete(ifUnchanged: it) }
        case .deleteIfUnchanged(.slot(let it)): try with { try tx.delete(ifUnchanged: it) }
        }
    }

    private func with(_ body: () throws -> Void) throws -> StepResult {
        try body()
        return StepResult()
    }

    private func change(_ model: AnyModel, holds: Bool?, in tx: inout WriteTransaction) throws -> StepResult {
        switch model {
        case .sensor(let it):
            StepResult(stored: .sensor(try change(it, holds, in: &tx)))
        case .ticket(let it): StepResult(stored: .ticket(try change(it, holds, in: &tx)))
        case .slot(let it): StepResult(stored: .slot(try change(it, holds, in: &tx)))
        }
    }

    private func change<R: Record>(_ record: R, _ holds: Bool?, in tx: inout WriteTransaction) throws -> R {
        guard let holds else { return try tx.update(R.self, id: record.recordID) { $0 = record } }
        return try tx.update(R.self, id: record.recordID, where: { _ in holds }) { $0 = record }
    }

    private func rekey(_ model: AnyModel, _ other: AnyModel, in tx: inout WriteTransaction) throws -> StepResult {
        switch (model, other) {
        case (.sensor(let it), .sensor(let other)):
            StepResult(stored: .sensor(try tx.update(Sensor.self, id: it.id) { $0 = other }))
        case (.ticket(let it), .ticket(let other)):
            StepResult(stored: .ticket(try tx.update(Ticket.self, id: it.id) { $0 = other }))
        case (.slot(let it), .slot(let other)):
            StepResult(stored: .slot(try tx.update(Slot.self, id: it.recordID) { $0 = other }))
        default: StepResult()
        }
    }
}
