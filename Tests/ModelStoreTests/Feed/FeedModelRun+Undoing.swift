import ModelStore
import StoreEngine
import Testing

/// How change sets of a history are undone.
extension FeedModelRun {
    /// Undoes one of the change sets, unless it has left the feed.
    func undo() async throws {
        // A foreign write would be noted or not as the undoing succeeds.
        if isForeignPending { return }
        guard let sequence = entries.keys.sorted().randomElement(using: &random), let noted = entries[sequence],
            case .changes(let changes, _) = noted.entry
        else { return }
        let rule = Bool.random(using: &random) ? ConflictRule.fail : .skip
        var feed = store.changes(from: .after(sequence: sequence - 1)).makeAsyncIterator()
        let (inverse, conflicts) = inverted(changes, noted)
        do {
            let changeSet = try #require(try await feed.next())
            let undone = try await store.write(returning: .position) { tx in try tx.undo(changeSet, conflicts: rule) }
            #expect(rule == .skip || conflicts.isEmpty, "seed \(seed), \(sequence)")
            #expect(Set(undone.result.map(\.id)) == conflicts, "seed \(seed), \(sequence)")
            for change in inverse { set(change.id, to: change.after) }
            if !inverse.isEmpty { note(.changes(inverse, undone.position)) }
            #expect(undone.position.sequence == newest, "seed \(seed), \(sequence)")
            positions.append(undone.position)
        } catch let error as StoreError where error.code == .changeConflict {
            #expect(rule == .fail && !conflicts.isEmpty, "seed \(seed), \(sequence): \(error)")
        } catch let error as StoreError where error.code == .positionCompacted {
            #expect(isRemovable(sequence), "seed \(seed): \(error)")
        }
    }

    /// What undoes some changes, the last one first and what deletes last of all, and of which records it cannot.
    private func inverted(_ changes: [PlainChange], _ noted: Noted) -> ([PlainChange], conflicts: Set<String>) {
        var inverse: [PlainChange] = []
        var conflicts: Set<String> = []
        for change in changes.reversed() {
            let now = sensors[change.id]
            // One that was deleted and is there again, the same in all fields, counts as that one.
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

    /// What a record is once a change of it is undone; nil when it was changed since in what the change has set.
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
