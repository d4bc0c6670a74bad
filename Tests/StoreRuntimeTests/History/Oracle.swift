import Foundation
import StoreEngine

/// The expected content of a store, in memory: the records by id, and the change set of each closure.
struct Oracle {
    /// A record's identity: its type and the full key of its id.
    struct Name: Hashable {
        var kind: AnyModel.Kind
        var key: [UInt8]

        /// The key as text, for sorting and messages.
        var text: String { unsafe HexText.of(key.span.bytes, limit: .max) }
    }

    struct Row {
        let model: AnyModel
        let incarnation: UInt64
        /// The bytes of each field.
        let bytes: [[UInt8]]
        private let idKey: [UInt8]
        /// The whole value in each index, and whether it is exempt from uniqueness.
        private let values: [(whole: [UInt8], isShared: Bool)]
        /// The full value in each unique index; nil where the record is exempt.
        let uniqueValues: [[[UInt8]]?]

        init(_ model: AnyModel, incarnation: UInt64) {
            self.model = model
            self.incarnation = incarnation
            let cells = model.cells
            bytes = cells.map(\.bytes)
            idKey = model.idKey
            values = model.kind.indexes.map { index in
                let values = index.places.map { cells[$0] }
                return (values.flatMap(\.key), !index.isUnique || values.contains(where: \.isNone))
            }
            uniqueValues = model.kind.indexes.map { index in
                let values = index.places.map { cells[$0] }
                return index.isUnique && !values.contains(where: \.isNone) ? values.map(\.key) : nil
            }
        }

        /// Returns the record's entry in an index.
        func entry(_ number: Int, _ key: OracleKey) -> RawEntry {
            let (part, record) = (key.indexValue(values[number].whole), key.record(idKey))
            if !values[number].isShared, !part.isTruncated {
                return RawEntry(key: part.bytes, value: [1] + record)
            }
            return RawEntry(key: part.bytes + record, value: [0, UInt8(record.count)])
        }
    }

    /// The net change of one record.
    struct Change {
        var name: Name
        var before: Row?
        var after: Row?
    }

    /// The fixed time of all transactions.
    static let time = Date(timeIntervalSinceReferenceDate: 700_000_000.125)

    private(set) var rows: [Name: Row] = [:]
    private(set) var greatestID: UInt64 = 0
    /// The number of the newest change set.
    private(set) var sequence: UInt64 = 3

    // The effects of the current closure.
    private var rowsBefore: [Name: Row] = [:]
    private var touched: [Name] = []

    /// Runs a closure.
    ///
    /// - Parameter results: The outcomes of its operations in the store, which supply the generated identifiers.
    /// - Returns: The expected outcomes, and the change set.
    mutating func run(_ closure: HistoryClosure, results: [StepResult]) -> (results: [StepResult], changes: [Change]) {
        let saved = self
        rowsBefore = rows
        touched = []
        var expected: [StepResult] = []
        for (number, step) in closure.steps.enumerated() {
            if number == closure.stop { break }
            expected.append(run(step, token: number < results.count ? results[number].stored : nil))
        }
        if closure.stop != nil {
            self = saved
            return (expected, [])
        }
        var changes: [Change] = []
        for name in touched {
            let before = rowsBefore[name]
            let after = rows[name]
            if before == nil, after == nil { continue }
            if let before, let after, before.bytes == after.bytes { continue }
            changes.append(Change(name: name, before: before, after: after))
        }
        if !changes.isEmpty { sequence += 1 }
        return (expected, changes)
    }

    private mutating func run(_ step: HistoryStep, token: AnyModel?) -> StepResult {
        switch step {
        case .insert(let model):
            let greatestBefore = greatestID
            let model = generated(model, token)
            let name = name(of: model)
            if rows[name] != nil || violates(model, name) {
                greatestID = greatestBefore
                return StepResult(error: rows[name] != nil ? .recordExists : .uniqueViolation)
            }
            set(name, model)
            return StepResult(stored: model)
        case .upsert(let model):
            let greatestBefore = greatestID
            let identified = withID(model)
            let model = withStoredTokens(identified) ?? generated(identified, token)
            let name = name(of: model)
            if violates(model, name) {
                greatestID = greatestBefore
                return StepResult(error: .uniqueViolation)
            }
            set(name, model)
            return StepResult(stored: model)
        case .update(let model): return replace(model)
        case .change(let model): return replace(model, returnsStored: true)
        case .changeWhere(let model, let holds):
            if rows[name(of: model)] == nil || !holds { return StepResult(error: .conditionNotMet) }
            return replace(model, returnsStored: true)
        case .rekey(let model, let other):
            if rows[name(of: model)] == nil { return StepResult(error: .recordNotFound) }
            if model.idKey != other.idKey { return StepResult(error: .invalidValue) }
            return replace(other, returnsStored: true)
        case .updateIfUnchanged(let model, let original):
            if model.idKey != original.idKey { return StepResult(error: .invalidValue) }
            if rows[name(of: original)]?.model != original { return StepResult(error: .conditionNotMet) }
            return replace(model)
        case .delete(let model): return StepResult(found: remove(model))
        case .deleteWhere(let model, let holds):
            if rows[name(of: model)] == nil || !holds { return StepResult(error: .conditionNotMet) }
            _ = remove(model)
            return StepResult()
        case .deleteIfUnchanged(let model):
            if rows[name(of: model)]?.model != model { return StepResult(error: .conditionNotMet) }
            _ = remove(model)
            return StepResult()
        }
    }

    private mutating func replace(_ model: AnyModel, returnsStored: Bool = false) -> StepResult {
        let name = name(of: model)
        guard let model = withStoredTokens(model) else { return StepResult(error: .recordNotFound) }
        if violates(model, name) { return StepResult(error: .uniqueViolation) }
        set(name, model)
        return returnsStored ? StepResult(stored: model) : StepResult()
    }

    private mutating func remove(_ model: AnyModel) -> Bool {
        let name = name(of: model)
        guard rows.removeValue(forKey: name) != nil else { return false }
        touch(name)
        return true
    }

    private mutating func set(_ name: Name, _ model: AnyModel) {
        let old = rows[name]
        let incarnation = (old ?? rowsBefore[name])?.incarnation ?? sequence + 1
        let new = Row(model, incarnation: incarnation)
        if old?.bytes == new.bytes { return }
        rows[name] = new
        touch(name)
    }

    private mutating func touch(_ name: Name) {
        if !touched.contains(name) { touched.append(name) }
    }

    /// Returns the record with its assigned id, and updates the greatest assigned id.
    private mutating func withID(_ model: AnyModel) -> AnyModel {
        guard case .ticket(var ticket) = model else { return model }
        if ticket.id == 0 {
            greatestID += 1
            ticket.id = Int(greatestID)
        } else if ticket.id > 0 {
            greatestID = max(greatestID, UInt64(ticket.id))
        }
        return .ticket(ticket)
    }

    /// Returns the record that replaces the stored one: stored values replace tokens. Returns nil if none is stored.
    private func withStoredTokens(_ model: AnyModel) -> AnyModel? {
        guard let row = rows[name(of: model)] else { return nil }
        guard case .ticket(var ticket) = model, case .ticket(let stored) = row.model else { return model }
        if ticket.opened == .transactionTime { ticket.opened = stored.opened }
        if ticket.token == .newID { ticket.token = stored.token }
        return .ticket(ticket)
    }

    /// Returns the record as an insert stores it.
    private mutating func generated(_ model: AnyModel, _ stored: AnyModel?) -> AnyModel {
        guard case .ticket(var ticket) = withID(model) else { return model }
        let isToken = ticket.opened == .transactionTime
        if isToken { ticket.opened = Oracle.time }
        if ticket.token == .newID, case .ticket(let stored)? = stored, stored.token != .newID {
            ticket.token = stored.token
        }
        return .ticket(ticket)
    }

    private func name(of model: AnyModel) -> Name { Name(kind: model.kind, key: model.idKey) }

    private func violates(_ model: AnyModel, _ name: Name) -> Bool {
        for (index, value) in Row(model, incarnation: 0).uniqueValues.enumerated() {
            guard let value else { continue }
            for (other, row) in rows where other.kind == name.kind && other != name {
                if row.uniqueValues[index] == value { return true }
            }
        }
        return false
    }

    /// Returns the expected entries of an index, sorted by key.
    func entries(of kind: AnyModel.Kind, index number: Int, _ key: OracleKey) -> [RawEntry] {
        let entries = rows.filter { $0.key.kind == kind }.map { $0.value.entry(number, key) }
        return entries.sorted { $0.key.lexicographicallyPrecedes($1.key) }
    }
}
