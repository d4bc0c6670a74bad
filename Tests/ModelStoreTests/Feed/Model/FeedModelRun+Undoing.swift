import ModelStore
import StoreEngine
import Testing

/// Undoes change sets of a history.
extension FeedModelRun {
    /// Undoes a random change set, unless it has left the feed.
    func undo() async throws {
        // Whether a foreign write is noted would depend on the success of the undo.
        if isForeignPending { return }
        guard let sequence = entries.keys.sorted().randomElement(using: &random), let noted = entries[sequence],
            case .changes(let changes, _) = noted.entry
        else { return }
        let rule = Bool.random(using: &random) ? ConflictRule.fail : .skip
        let (inverse, conflicts) = inverted(changes, noted)
        do {
            let undone = try await undo(sequence, count: changes.count, rule)
            let position = try store.position
            #expect(rule == .skip || conflicts.isEmpty, "seed \(seed), \(sequence)")
            #expect(Set(undone.map(\.id)) == conflicts, "seed \(seed), \(sequence)")
            for change in inverse { set(change.id, to: change.after) }
            if !inverse.isEmpty { note(.changes(inverse, position)) }
            #expect(position.sequence == newest, "seed \(seed), \(sequence)")
            positions.append(position)
        } catch let error as StoreError where error.code == .changeConflict {
            #expect(rule == .fail && !conflicts.isEmpty, "seed \(seed), \(sequence): \(error)")
        } catch let error as StoreError where error.code == .positionCompacted {
            #expect(isRemovable(sequence), "seed \(seed): \(error)")
        }
    }

    /// Undoes a change set in a random way: by its number or position, in parts or at once, or as the feed delivered it.
    private func undo(_ sequence: UInt64, count: Int, _ rule: ConflictRule) async throws -> [ChangeConflict] {
        let changesPerPart = [1, 2, 3, 512].randomElement(using: &random) ?? 1
        switch Int.random(in: 0..<4, using: &random) {
        case 0: return try await store.undo(sequence: sequence, conflicts: rule)
        case 1: return try await store.undo(try store.changeSet(sequence: sequence).position, conflicts: rule)
        case 2:
            return try await store.write {
                try $0.undo(sequence: sequence, conflicts: rule, changesPerPart: changesPerPart)
            }
        default:
            var options = FeedOptions()
            options.changesPerPart = changesPerPart
            var feed = store.changes(from: .after(sequence: sequence - 1), options).makeAsyncIterator()
            let read = try #require(try await feed.next())
            #expect(read.isWhole == (count <= changesPerPart), "seed \(seed), \(sequence)")
            guard !read.isWhole else { return try await store.undo(read, conflicts: rule) }
            // The store must refuse to undo a single part.
            do {
                try await store.undo(read, conflicts: rule)
                Issue.record("seed \(seed), \(sequence): a part was undone")
            } catch let error as StoreError where error.code == .changeSetIncomplete {
            }
            return try await store.undo(sequence: read.sequence, conflicts: rule)
        }
    }

    /// Returns the inverse changes in their order, with deletes last, and the ids of records with conflicts.
    private func inverted(_ changes: [PlainChange], _ noted: Noted) -> ([PlainChange], conflicts: Set<String>) {
        var inverse: [PlainChange] = []
        var conflicts: Set<String> = []
        for change in changes {
            let now = sensors[change.id]
            // A record that was deleted and inserted again with equal fields counts as the same record.
            guard noted.lives[change.id] == lives[change.id] || now == change.after,
                let restored = restored(change, now)
            else {
                conflicts.insert(change.id)
                continue
            }
            inverse.append(PlainChange(id: change.id, before: now, after: restored))
        }
        return (inverse.filter { $0.after != nil } + inverse.filter { $0.after == nil }, conflicts)
    }

    /// Returns the record after the undo of a change; nil if a later change affected the same fields.
    private func restored(_ change: PlainChange, _ now: PlainSensor?) -> PlainSensor?? {
        guard let before = change.before, let after = change.after, var restored = now else {
            return now == change.after ? .some(change.before) : nil
        }
        func restore<Value: Equatable>(_ field: WritableKeyPath<PlainSensor, Value>) -> Bool {
            if before[keyPath: field] == after[keyPath: field] { return true }
            defer { restored[keyPath: field] = before[keyPath: field] }
            return restored[keyPath: field] == after[keyPath: field]
        }
        let isFree = [restore(\.celsius), restore(\.note), restore(\.level), restore(\.tag)].allSatisfy(\.self)
        return isFree ? .some(restored) : nil
    }
}
