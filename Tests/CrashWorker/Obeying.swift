import Foundation
import LMDB
import StoreEngine
import StoreRuntime

/// `obey`: runs a command on one store at a time for each line of standard input, a JSON object. Answers each with one line.
///
/// - `{"open": <directory>}` opens a store: `open`.
/// - `{"write": [<operation>…]}` runs the operations in one write: `at <position>`. An operation is `{"put": <type index>,
///   "mode": <mode>, "values": [<value of each field>…]}` or `{"delete": <type index>, "id": [<value of each part>…]}`. An
///   operation that the record's current state does not allow has no effect.
/// - `{"declare": <name>}` adds a record type: `at <position>`.
/// - `{"intrude": true}` writes as a program that does not know ModelStore: `at <position>` of the reset that notes the write.
/// - `{"close": true}` closes the store: `closed`.
///
/// Answers `refused` to a write that breaks a rule of references, and `failed <error>` to any other failure.
final class Obeying {
    private let reports = Reports()
    private var opened: (store: Store, path: String)?

    func run() -> Int32 {
        while let line = readLine() {
            do {
                reports.say(try answer(try JSONReader.read(line)))
            } catch let error as StoreError where [.deleteDenied, .referenceBroken].contains(error.code) {
                reports.say("refused")
            } catch {
                reports.say("failed \(error)".replacing("\n", with: " "))
            }
        }
        opened?.store.close()
        return 0
    }

    private func answer(_ order: JSONValue) throws -> String {
        if let path = order["open"]?.string {
            opened = (try open(path), path)
            return "open"
        }
        guard let (store, path) = opened else { throw WorkerError(description: "no store is open") }
        if let operations = order["write"]?.array {
            let position = try store.write(returning: .position, durability: .relaxed) { tx in
                for operation in operations { try Self.apply(operation, to: &tx) }
            }.position
            return "at \(position)"
        }
        if let name = order["declare"]?.string {
            try store.write(addingTypes: [Self.schema(name)]) { _ in }
            return "at \(try store.position)"
        }
        store.close()
        opened = nil
        if order["close"] != nil { return "closed" }
        guard order["intrude"] != nil else { throw WorkerError(description: "there is no such order") }
        try intrude(path)
        let again = try open(path)
        opened = (again, path)
        return "at \(try again.position)"
    }

    private func open(_ path: String) throws -> Store {
        var options = StoreOptions()
        options.durability = .relaxed
        return try Store(at: path, records: [], options: options)
    }

    private func intrude(_ path: String) throws {
        let environment = try LMDBEnvironment.open(at: path, options: LMDBEnvironment.Options(syncs: false))
        defer { environment.close() }
        var raw = try environment.beginWrite()
        guard let database = try raw.openDatabase(named: "theirs", create: true) else {
            throw WorkerError(description: "no database of others can be made")
        }
        let (key, value): ([UInt8], [UInt8]) = ([1], [2])
        unsafe try raw.put(database, key: key.span.bytes, value: value.span.bytes)
        try raw.commit()
    }

    /// A record type that has a number and nothing else.
    static func schema(_ name: String) -> RecordSchema {
        let id = FieldSchema(name: "id", type: .int64, defaultValue: nil, renamedFrom: [], onDelete: .deny)
        return RecordSchema(name: name, fields: [id], id: IDSchema([0]), indexes: [])
    }

    private static func apply(_ operation: JSONValue, to tx: inout WriteTransaction) throws {
        if let place = operation["delete"]?.number?.int64, let parts = operation["id"]?.array {
            let type = tx._reading.catalog.types[Int(place)]
            let types = type.idParts.map { type.type.fields[$0.fieldIndex].type }
            _ = try tx.delete(dynamicID: try Self.values(parts, types), typeIndex: Int(place))
            return
        }
        guard let place = operation["put"]?.number?.int64, let values = operation["values"]?.array,
            let mode = operation["mode"]?.string.flatMap(mode)
        else { throw WorkerError(description: "there is no such operation") }
        let types = tx._reading.catalog.types[Int(place)].type.fields.map(\.type)
        let record = DynamicRecord(values: try Self.values(values, types))
        do throws(StoreError) {
            try tx.put(record, typeIndex: Int(place), mode: mode)
        } catch {
            guard [.recordExists, .recordNotFound, .uniqueViolation].contains(error.code) else { throw error }
        }
    }

    private static func mode(_ name: String) -> WriteMode? {
        switch name {
        case "insert": .insert
        case "update": .update
        case "upsert": .upsert
        default: nil
        }
    }

    private static func values(_ values: [JSONValue], _ types: [FieldType]) throws -> [DynamicValue] {
        try zip(values, types).map { try DynamicValue(json: $0, as: $1) }
    }
}
