import LMDB

/// The result of an explicit migration for one record type, including the records that are not valid in the new form.
package struct TypeMigration: Sendable {
    /// The type's name.
    package let name: String
    /// Whether the type is new in the store.
    package var isNew = false
    /// The steps.
    package var changes: [SchemaChange] = []
    /// The first records that are not valid in the new form, each with the reason.
    package private(set) var misfits: [Misfit] = []
    /// The number of all misfits.
    package private(set) var misfitCount = 0

    /// The change sets of the feed with a record that does not fit the new form: how many, the first and the last. They stay
    /// readable, but not as records of the new form. Nil if there is none, or if the migration did not look.
    package private(set) var unfitHistory: (count: Int, first: UInt64, last: UInt64)?

    /// A record that is not valid in the new form.
    package struct Misfit: Sendable, Hashable {
        /// The record's id in readable form; nil for a reason that concerns all records.
        package let id: String?
        /// The reason.
        package let reason: String
    }

    /// The maximum number of misfits in the result.
    package static let misfitLimit = 100

    init(name: String) { self.name = name }

    mutating func addMisfit(_ id: String?, _ reason: String) {
        misfitCount += 1
        if misfits.count < Self.misfitLimit { misfits.append(Misfit(id: id, reason: reason)) }
    }

    mutating func addUnfitChangeSet(_ sequence: UInt64) {
        unfitHistory = ((unfitHistory?.count ?? 0) + 1, unfitHistory?.first ?? sequence, sequence)
    }
}

extension CatalogEditor {
    /// Makes a type exactly as declared, all in this transaction. Fields and indexes that are not declared are dropped.
    ///
    /// If a record is not valid in the new form, the result says so, and the caller must not commit the transaction.
    ///
    /// - Parameter readsFeed: whether to look for change sets whose records do not fit the new form, which reads the whole feed.
    /// - Throws: ``StoreError``: `schemaMismatch` if no steps lead to the declaration; `invalidValue` if the declaration
    ///   contradicts itself; `damaged`.
    package mutating func migrate(
        to declared: RecordSchema, readsFeed: Bool
    ) throws(StoreError) -> TypeMigration {
        var migration = TypeMigration(name: declared.name)
        guard let old = type(named: declared.name) else {
            try add(declared)
            migration.isNew = true
            return migration
        }
        let evolution = try evolution(of: old, to: declared, mode: .explicit)
        migration.changes = evolution.changes
        if evolution.changes.isEmpty { return migration }
        noteMigration()
        let count = try count(of: old)
        if count > 0 {
            for name in evolution.unfillable {
                migration.addMisfit(nil, "\(name): the \(count) records have no value for it, and it has no default")
            }
        }
        if evolution.changes.contains(where: { if case .changeType(_, _, _, false) = $0 { true } else { false } }) {
            try findMisfits(of: evolution.type, old, &migration)
            if readsFeed { try findUnfitHistory(of: evolution.type, &migration) }
        }
        guard migration.misfitCount == 0 else { return migration }
        try replace(old, with: evolution.type)
        try buildAll(of: declared.name, &migration)
        return migration
    }

    private mutating func buildAll(of name: String, _ migration: inout TypeMigration) throws(StoreError) {
        var duplicates: [StoreError] = []
        while let type = type(named: name), let index = type.indexes.first(where: \.isBuilding) {
            _ = try build(index, of: type, limit: 4_096) { duplicates.append($0) }
        }
        for error in duplicates { migration.addMisfit(nil, error.message) }
    }

    private mutating func findMisfits(
        of new: RecordType, _ old: RecordType, _ migration: inout TypeMigration
    ) throws(StoreError) {
        let current = EarlierVersion(version: old.version, fields: old.fields)
        guard let upgrade = RecordUpgrade(from: current, to: new) else { return }
        let opened = try open(old)
        do {
            var cursor = try snapshot.openCursor(opened.database)
            var isPositioned = try cursor.first()
            while isPositioned {
                let misfit = try opened.withNewest(RecordBytes(cursor.value)) { (record) throws(CodecError) in
                    upgrade.misfit(record).map { (id: RecordText.id(record.bytes, opened), reason: $0) }
                }
                if let misfit { migration.addMisfit(misfit.id, misfit.reason) }
                isPositioned = try cursor.next()
            }
        } catch let error as LMDBError {
            throw StoreError(error)
        } catch {
            throw StoreError(
                .damaged, "a record of \(old.name) cannot be read: \(ErrorText.of(error))",
                remedy: "run store-cli verify")
        }
    }

    /// Finds the change sets of the feed with a record that does not fit the new form.
    private func findUnfitHistory(of new: RecordType, _ migration: inout TypeMigration) throws(StoreError) {
        var upgrades: [UInt32: RecordUpgrade] = [:]
        for earlier in new.earlierVersions { upgrades[earlier.version] = RecordUpgrade(from: earlier, to: new) }
        for sequence in head.oldest...max(head.oldest, head.sequence) {
            guard let entry = try FeedReader.entry(sequence, in: databases.feed, snapshot) else { continue }
            do throws(CodecError) {
                for change in entry.changes where change.type == new.id && change.isOfRecord {
                    guard try Self.isUnfit(change, new, upgrades) else { continue }
                    migration.addUnfitChangeSet(sequence)
                    break
                }
            } catch {
                throw StoreError(error, at: "change set \(sequence) of the feed")
            }
        }
    }

    private static func isUnfit(
        _ change: FeedChange, _ new: RecordType, _ upgrades: [UInt32: RecordUpgrade]
    ) throws(CodecError) -> Bool {
        for bytes in [try change.before(new), change.after] {
            guard let bytes else { continue }
            let record = unsafe try RecordBytes(unverified: bytes.span.bytes)
            if upgrades[record.schemaVersion]?.misfit(record) != nil { return true }
        }
        return false
    }
}
