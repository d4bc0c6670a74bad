import LMDB

/// What a migration that was asked for does to one record type, and which records do not fit.
package struct TypeMigration: Sendable {
    /// The type's name.
    package let name: String
    /// Whether the store has no such type yet.
    package var isNew = false
    /// The steps.
    package var changes: [SchemaChange] = []
    /// The first records that do not fit, each with the reason.
    package private(set) var misfits: [Misfit] = []
    /// The number of all that do not fit.
    package private(set) var misfitCount = 0

    /// A record that does not fit.
    package struct Misfit: Sendable, Hashable {
        /// The record's id as people read it; nil for what is true of all.
        package let id: String?
        /// Why.
        package let reason: String
    }

    /// The most misfits that are kept.
    package static let misfitLimit = 100

    init(name: String) { self.name = name }

    mutating func addMisfit(_ id: String?, _ reason: String) {
        misfitCount += 1
        if misfits.count < Self.misfitLimit { misfits.append(Misfit(id: id, reason: reason)) }
    }
}

extension CatalogEditor {
    /// Makes a type just what is declared, all in this transaction: fields and indexes that are not declared go.
    ///
    /// Where a record does not fit, the result says so, and the transaction must not be committed.
    ///
    /// - Throws: ``StoreError``: `schemaMismatch` when no step leads there; `invalidValue` when the declaration
    ///   contradicts itself; `damaged`.
    package mutating func migrate(to declared: RecordSchema) throws(StoreError) -> TypeMigration {
        var migration = TypeMigration(name: declared.name)
        guard let old = type(named: declared.name) else {
            try add(declared)
            migration.isNew = true
            return migration
        }
        let evolution = try evolution(of: old, to: declared, mode: .explicit)
        migration.changes = evolution.changes
        if evolution.changes.isEmpty { return migration }
        let count = try count(of: old)
        if count > 0 {
            for name in evolution.unfillable {
                migration.addMisfit(nil, "\(name): the \(count) records have no value for it, and it has no default")
            }
        }
        if evolution.changes.contains(where: { if case .changeType(_, _, _, false) = $0 { true } else { false } }) {
            try findMisfits(of: evolution.type, old, &migration)
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
}
