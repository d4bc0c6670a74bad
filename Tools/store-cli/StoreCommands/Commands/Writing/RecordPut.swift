import ArgumentParser
import StoreEngine
import StoreRuntime

/// `insert`: inserts one record.
struct Insert: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Inserts one record and prints it as it is stored.",
        discussion: """
            An omitted field gets its default, or null if it is optional. An id that the store assigns may be omitted \
            too.

            With --create, the command first creates a missing store, with the record types of --schema or none. If \
            the store has no TYPE, the command creates it from the record. The id of the new TYPE is the field id, \
            unless --id names others. If the insert fails, it creates neither.
            """)

    @OptionGroup var options: GlobalOptions
    @OptionGroup var creation: CreateOptions
    @Option(
        help: ArgumentHelp(
            "With --create: a field of the new type's id; repeat it for a composite id.", valueName: "field"))
    var id: [String] = []
    @Argument(help: "The record type.", completion: TypeNameCompletion.kind) var type: String
    @Argument(help: "The record as a JSON object, or - for standard input.") var json: String

    func run() throws {
        guard creation.create || id.isEmpty else {
            throw CommandFailure(.usage, "--id is for a new type; give --create too")
        }
        try creation.requireFittingOptions()
        let put = RecordPut(options: options, type: type, json: json)
        guard creation.create else { return try creation.suggestingCreate { try put.run(.insert) } }
        let members = try put.members()
        try creation.write(options, printsResult: true) { store in
            try put.insert(members, creatingTypeWithID: id, in: store)
        }
    }
}

/// `upsert`: inserts one record, or replaces the record with its id.
struct Upsert: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Inserts one record or replaces the one with its id, and prints it as it is stored.")

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The record type.", completion: TypeNameCompletion.kind) var type: String
    @Argument(help: "The record as a JSON object, or - for standard input.") var json: String

    func run() throws { try RecordPut(options: options, type: type, json: json).run(.upsert) }
}

/// The common part of `insert` and `upsert`.
private struct RecordPut {
    let options: GlobalOptions
    let type: String
    let json: String

    func run(_ mode: WriteMode) throws {
        let members = try members()
        try options.write(printsResult: true) { store in
            let name = type
            let (record, type) = try store.write { try Self.put(members, as: name, mode, in: &$0) }
            try options.printing { try record.print(type, options.format, to: $0) }
        }
    }

    /// Inserts the record. If the store has no type of that name, creates one from the record.
    ///
    /// - Parameter id: the id fields of a new type; empty for the field `id`.
    func insert(_ members: [JSONMember], creatingTypeWithID id: [String], in store: Store) throws {
        let name = type
        var schemas: [RecordSchema] = []
        if !store.recordTypes.contains(where: { $0.name == name }) {
            var inference = SchemaInference()
            inference.add(ImportRow(line: 1, type: nil, content: .members(members)), columns: nil)
            schemas = [
                try inference.schema(
                    named: name,
                    NewTypeOptions(id: id.isEmpty ? ["id"] : id, index: [], unique: [], assumesID: id.isEmpty))
            ]
        } else if !id.isEmpty {
            throw CommandFailure(.usage, "the store already has \(name); --id is for new types")
        }
        let (record, type) = try store.write(addingTypes: schemas) { try Self.put(members, as: name, .insert, in: &$0) }
        try options.printing { try record.print(type, options.format, to: $0) }
    }

    private static func put(
        _ members: [JSONMember], as name: String, _ mode: WriteMode, in transaction: inout WriteTransaction
    ) throws -> (DynamicRecord, RecordType) {
        let catalog = transaction._reading.catalog
        let index = try catalog.requireTypeIndex(named: name)
        let type = catalog.types[index].type
        let record = try RecordInput.record(members, of: type)
        return (try transaction.put(record, typeIndex: index, mode: mode), type)
    }

    func members() throws -> [JSONMember] {
        do {
            let value = json == "-" ? try JSONReader.read(InputSource("-").readAll()) : try JSONReader.read(json)
            guard let members = value.object else {
                throw CommandFailure(.badData, "a record must be a JSON object, found \(value.kindDescription)")
            }
            return members
        } catch let error as JSONError {
            throw CommandFailure(.badData, "the record is not JSON: \(error)")
        }
    }
}

/// Converts user input to records.
enum RecordInput {
    /// Returns the record that `members` describe. An id that the store assigns may be missing.
    ///
    /// - Throws: ``CommandFailure`` that names the type and the field.
    static func record(_ members: [JSONMember], of type: RecordType) throws -> DynamicRecord {
        do {
            return DynamicRecord(values: try values(members, of: type))
        } catch {
            throw CommandFailure(.badData, "\(type.name).\(error.reason)")
        }
    }

    /// Returns a value for each field.
    static func values(_ members: [JSONMember], of type: RecordType) throws(CodecError) -> [DynamicValue] {
        var members = members
        if let name = assignedField(of: type), !members.contains(where: { $0.key == name }) {
            members.append(JSONMember(name, 0))
        }
        return try DynamicFields.values(from: members, for: type.fields.map(\.schema), .export)
    }

    /// Returns the name of the id field if the store assigns the ids.
    static func assignedField(of type: RecordType) -> String? {
        guard type.assignsIDs, let fieldIndex = type.idFields.first.flatMap(type.fieldIndex(ofID:)) else { return nil }
        return type.fields[fieldIndex].name
    }
}
