import Foundation
import LMDB

/// Verifies the catalog: checksums, contradictions within and between entries, and the databases that the entries require.
struct CatalogVerifier {
    /// The types whose records can be verified.
    private(set) var types: [OpenType] = []
    /// The numbers of all types, including types with a damaged entry.
    private(set) var typeNumbers: Set<UInt32> = []
    /// The readable descriptions, by type number.
    private(set) var descriptions: [UInt32: RecordType] = [:]

    /// Whether the walk read all entries. Only then is a database that no entry names unknown.
    private(set) var isWalked = true

    private let keyHash: KeyHash

    /// - Parameter keyHash: how the store hashes long keys.
    init(_ keyHash: KeyHash) { self.keyHash = keyHash }

    /// Returns the open type with this number.
    func type(_ number: UInt32) -> OpenType? { types.first { $0.type.id == number } }

    mutating func run(_ databases: VerifiedDatabases, _ snapshot: LMDBSnapshot, _ report: VerifyReport) {
        guard let database = databases[StoreDatabases.catalogName] else { return }
        isWalked = report.attempt(.database(StoreDatabases.catalogName)) {
            var cursor = try snapshot.openCursor(database)
            var isPositioned = try cursor.first()
            while isPositioned {
                read(cursor.key, cursor.value, report)
                isPositioned = try cursor.next()
            }
        }
        report.summary.typeCount = typeNumbers.count { descriptions[$0]?.isReplaced != true }
        var names: Set<String> = []
        for (number, type) in descriptions.sorted(by: { $0.key < $1.key }) {
            guard type.isReplaced != true else { continue }
            if !names.insert(type.name).inserted {
                report.add(.contradiction, at: .catalog(type: number), "two record types have the name \(type.name)")
            }
            guard isConsistent(type, report) else { continue }
            open(type, databases, report)
        }
    }

    private mutating func read(_ key: RawSpan, _ value: RawSpan, _ report: VerifyReport) {
        guard key.byteCount == 4, let number = try? key.loadInteger(at: 0, as: UInt32.self).byteSwapped else {
            report.add(
                .undecodable, at: .catalog(type: nil),
                "an entry has a key of \(key.byteCount) bytes: \(HexText.of(key))")
            return
        }
        typeNumbers.insert(number)
        do {
            let stored = try value.loadInteger(at: 0, as: UInt64.self)
            let json = value.extracting(8..<value.byteCount)
            guard XXH64.hash(json) == stored else {
                return report.add(
                    .checksum, at: .catalog(type: number), "the checksum of the entry does not match its bytes")
            }
            let type = try JSONDecoder().decode(RecordType.self, from: Data(from: json))
            guard type.id == number else {
                return report.add(
                    .contradiction, at: .catalog(type: number), "the entry describes another record type, \(type.id)")
            }
            descriptions[number] = type
        } catch {
            report.add(.undecodable, at: .catalog(type: number), "the entry cannot be decoded: \(error)")
        }
    }

    /// Checks that the description does not contradict itself.
    private func isConsistent(_ type: RecordType, _ report: VerifyReport) -> Bool {
        var problems: [String] = []
        let fieldNumbers = type.fields.map(\.id)
        if Set(fieldNumbers).count != fieldNumbers.count { problems.append("two fields have the same number") }
        if fieldNumbers.contains(where: { $0 >= type.nextFieldID }) {
            problems.append("a field's number is not assigned yet")
        }
        let indexNumbers = type.indexes.map(\.id)
        if Set(indexNumbers).count != indexNumbers.count { problems.append("two indexes have the same number") }
        if indexNumbers.contains(where: { $0 >= type.nextIndexID }) {
            problems.append("an index's number is not assigned yet")
        }
        let keyFields = type.idFields + type.indexes.flatMap(\.fields)
        if !keyFields.allSatisfy(fieldNumbers.contains) { problems.append("the id or an index uses an unknown field") }
        let versions = type.earlierVersions.map(\.version)
        if type.version == 0 || versions.contains(where: { $0 >= type.version || $0 == 0 })
            || Set(versions).count != versions.count
        {
            problems.append("the versions of its fields contradict each other")
        }
        if problems.isEmpty {
            do {
                try type.schema.validate()
            } catch {
                problems.append(error.message)
            }
            for field in type.fields {
                guard case .value(let bytes) = field.schema.defaultValue else { continue }
                if let reason = FieldVerifier.problem(bytes, field.type) {
                    problems.append("the default of \(field.name) does not have the field's type: \(reason)")
                }
            }
        }
        for problem in problems {
            report.add(.contradiction, at: .catalog(type: type.id), "the description of \(type.name): \(problem)")
        }
        return problems.isEmpty
    }

    /// Opens the databases of a type. Reports indexes without a database and leaves them out.
    private mutating func open(_ type: RecordType, _ databases: VerifiedDatabases, _ report: VerifyReport) {
        var present = type
        present.indexes = []
        var indexDatabases: [LMDBDatabase] = []
        var expected: Set<String> = []
        for index in type.indexes {
            let name = StoreDatabases.indexName(type: type.id, index: index.id)
            expected.insert(name)
            guard let database = databases[name] else {
                report.add(.missing, at: .database(name), "the database of an index of \(type.name) is missing")
                continue
            }
            present.indexes.append(index)
            indexDatabases.append(database)
        }
        for name in databases.indexNames(type: type.id) where !expected.contains(name) {
            report.add(.unknown, at: .database(name), "\(type.name) has no such index")
        }
        let name = StoreDatabases.recordsName(type: type.id)
        guard let database = databases[name] else {
            return report.add(.missing, at: .database(name), "the database of the records of \(type.name) is missing")
        }
        report.attempt(.catalog(type: type.id)) {
            types.append(
                try OpenType(present, database: database, indexDatabases: indexDatabases, keyHash: keyHash))
        }
    }
}
