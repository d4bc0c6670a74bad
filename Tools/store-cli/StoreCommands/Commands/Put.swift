import ArgumentParser
import StoreEngine
import StoreRuntime

/// `insert`: one new record.
struct Insert: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Inserts one record and prints it as it is stored.",
        discussion: """
            Fields that are left out get their default, or none where they are optional. An id that the store assigns \
            may be left out too.
            """)

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The record type.", completion: TypeNameCompletion.kind) var type: String
    @Argument(help: "The record as a JSON object, - for standard input.") var json: String

    func run() throws { try RecordPut(options: options, type: type, json: json).run(.insert) }
}

/// `upsert`: one record, new or in place of the one with its id.
struct Upsert: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Inserts one record or replaces the one with its id, and prints it as it is stored.")

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The record type.", completion: TypeNameCompletion.kind) var type: String
    @Argument(help: "The record as a JSON object, - for standard input.") var json: String

    func run() throws { try RecordPut(options: options, type: type, json: json).run(.upsert) }
}

/// What `insert` and `upsert` share.
private struct RecordPut {
    let options: GlobalOptions
    let type: String
    let json: String

    func run(_ mode: WriteMode) throws {
        let members = try members()
        try options.write(printsResult: true) { store in
            let name = type
            let (record, type) = try store.write { transaction in
                let catalog = transaction._reading.catalog
                let index = try catalog.requirePlace(ofTypeNamed: name)
                let type = catalog.types[index].type
                let record = try RecordInput.record(members, of: type)
                return (try transaction.put(record, typeIndex: index, mode: mode), type)
            }
            try options.printing { try record.print(type, options.format, to: $0) }
        }
    }

    private func members() throws -> [JSONMember] {
        do {
            let value = json == "-" ? try JSONReader.read(InputSource("-").readAll()) : try JSONReader.read(json)
            guard let members = value.object else {
                throw CommandFailure(.badData, "a record is a JSON object, found \(value.kindDescription)")
            }
            return members
        } catch let error as JSONError {
            throw CommandFailure(.badData, "the record is not JSON: \(error)")
        }
    }
}

/// Records from what people write.
enum RecordInput {
    /// The record that `members` spell; an id that the store assigns may be missing.
    ///
    /// - Throws: ``CommandFailure`` that names the type and the field.
    static func record(_ members: [JSONMember], of type: RecordType) throws -> DynamicRecord {
        do {
            return DynamicRecord(values: try values(members, of: type))
        } catch {
            throw CommandFailure(.badData, "\(type.name).\(error.reason)")
        }
    }

    /// A value for each field.
    static func values(_ members: [JSONMember], of type: RecordType) throws(CodecError) -> [DynamicValue] {
        var members = members
        if let name = assignedField(of: type), !members.contains(where: { $0.key == name }) {
            members.append(JSONMember(name, 0))
        }
        return try DynamicFields.values(from: members, for: type.fields.map(\.schema))
    }

    /// The name of the id that the store assigns.
    static func assignedField(of type: RecordType) -> String? {
        guard type.assignsIDs, let place = type.idFields.first.flatMap(type.place(ofField:)) else { return nil }
        return type.fields[place].name
    }
}
