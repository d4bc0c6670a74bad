import ArgumentParser
import StoreEngine
import StoreExpressions
import StoreRuntime

/// `set`: changes fields of one record, or of all records that meet a condition.
struct SetFields: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Changes fields of one record and prints it as it is stored.",
        usage: """
            store-cli set TYPE ID FIELD=VALUE … [--if EXPRESSION] [--dry-run]
            store-cli set TYPE --where EXPRESSION [--yes] [--dry-run] FIELD=VALUE …
            """,
        discussion: """
            The field's type determines the form of a value: plain text, a number, true or false, ISO 8601, or base64; \
            for an enum, the name or the raw value of a case; for arrays, sets, dictionaries and structs, JSON. FIELD= \
            is an empty text. FIELD=null is null, if the field is optional (FIELD='"null"' is the text). Dots lead to \
            a field of a struct: address.city=Bonn.

            With --if, an expression as in query, the command changes the record only if it meets the expression. \
            Otherwise the exit status is 1.

            With --where instead of an id, the command changes all records that meet the expression, in one \
            transaction. It first prints their number. On a terminal, it then asks. Elsewhere, it requires --yes.

            --dry-run prints the record or the number of records, and changes nothing.
            """)

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The record type.", completion: TypeNameCompletion.kind) var type: String
    @Argument(help: ArgumentHelp("\(IDArgument.help) Not with --where.", valueName: "id")) var words: [String] = []
    @Option(
        name: .customLong("if"), parsing: .unconditional,
        help: ArgumentHelp("A condition that the record must meet.", valueName: "expression"))
    var condition: String?
    @Option(
        name: .customLong("where"), parsing: .unconditional,
        help: ArgumentHelp("A condition for the records, instead of an id.", valueName: "expression"))
    var wanted: String?
    @Flag(help: "Change the records that match --where without asking.") var yes = false
    @Flag(help: "Only print what would change.") var dryRun = false

    func run() throws {
        if let wanted { try change(where: wanted) } else { try changeOne() }
    }

    private func changeOne() throws {
        if yes { throw CommandFailure(.usage, "--yes is for --where; one record is changed without asking") }
        guard let idText = words.first else { throw CommandFailure(.usage, "name the id of the record, or --where") }
        let (name, condition, isDry) = (type, condition, dryRun)
        let assignments = try FieldAssignment.list(words.dropFirst())
        try options.write(printsResult: true) { store in
            // Read and written in one transaction, so that no change in between is lost.
            let (record, type) = try store.trialWrite(committingIf: { _ in !isDry }) { transaction in
                let catalog = transaction._reading.catalog
                let index = try catalog.requireTypeIndex(named: name)
                let type = catalog.types[index]
                let id = try IDArgument.parse(idText, of: type)
                // Checked before the record is read, so that a mistake in the command is reported whether or not the record
                // exists.
                let wanted = try condition.map {
                    try ExpressionParser.condition(
                        $0, of: type.type, among: catalog.types.map(\.type), named: "--if")
                }
                for assignment in assignments { try assignment.requireField(of: type) }
                guard var record = try transaction._reading.dynamicRecord(id: id, typeIndex: index) else {
                    throw IDArgument.notFound(id, type)
                }
                if let wanted, let condition {
                    guard try transaction._reading.meets(wanted, id: id, typeIndex: index) else {
                        let found = RecordText.shortened(JSONWriter.text(of: record.json(type.type)))
                        throw CommandFailure(
                            .failed,
                            "the \(type.name) with the id \(IDArgument.text(id)) does not meet --if "
                                + "\(RecordText.shortened(condition)): it is \(found)")
                    }
                }
                for assignment in assignments { try assignment.apply(to: &record, of: type) }
                return (try transaction.put(record, typeIndex: index, mode: .update), type.type)
            }.result
            try options.printing { try record.print(type, options.format, to: $0) }
        }
    }

    private func change(where wanted: String) throws {
        if condition != nil {
            throw CommandFailure(.usage, "--if is for one record; join it to --where with &&")
        }
        let assignments = try FieldAssignment.list(words[...])
        let found = FoundRecords(typeName: type, condition: wanted)
        try options.write { store in
            let written = try found.write("change", to: store, isAgreed: yes, isDry: dryRun) { type in
                for assignment in assignments { try assignment.requireField(of: type) }
            } _: { request, index, transaction in
                let type = transaction._reading.catalog.types[index]
                _ = try transaction.update(request, typeIndex: index) { record in
                    for assignment in assignments { try assignment.apply(to: &record, of: type) }
                }
            }
            if let written { StandardError.writeLine(written.changeText(isDry: dryRun)) }
        }
    }
}

/// One `FIELD=VALUE` on the command line.
struct FieldAssignment: Sendable {
    let path: [String]
    let text: String

    private init?(_ argument: String) {
        guard let sign = argument.firstIndex(of: "="), sign != argument.startIndex else { return nil }
        path = argument[..<sign].split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        text = String(argument[argument.index(after: sign)...])
    }

    /// Returns the assignments in some words of the command line.
    ///
    /// - Throws: ``CommandFailure`` if a word is no assignment, or two assignments set the same field.
    static func list(_ words: ArraySlice<String>) throws -> [FieldAssignment] {
        guard !words.isEmpty else { throw CommandFailure(.usage, "nothing is set; write FIELD=VALUE") }
        let assignments = try words.map { word in
            guard let assignment = FieldAssignment(word) else {
                throw CommandFailure(.usage, "\(RecordText.shortened(word)) sets nothing; write FIELD=VALUE")
            }
            return assignment
        }
        try requireDistinct(assignments)
        return assignments
    }

    private var name: String { path.joined(separator: ".") }

    /// Fails if two assignments set the same field, because the intended one is unknown.
    private static func requireDistinct(_ assignments: [FieldAssignment]) throws {
        for (index, assignment) in assignments.enumerated() {
            for other in assignments[..<index] where zip(other.path, assignment.path).allSatisfy(==) {
                throw CommandFailure(
                    .usage,
                    other.path == assignment.path
                        ? "\(assignment.name) is named twice"
                        : "\(other.name) and \(assignment.name) set the same field; name one of them")
            }
        }
    }

    /// Fails if records of a type have no such field.
    func requireField(of type: OpenType) throws {
        var fields = type.type.fields.map(\.schema)
        let path = path(in: fields)
        for (depth, part) in path.enumerated() {
            let field = fields[try fieldIndex(of: part, in: fields, type)]
            if depth + 1 < path.count { fields = try nested(in: field, type).fields }
        }
    }

    /// Returns the names from the record's field on. A field name may contain dots, as those of imported files do.
    private func path(in fields: [FieldSchema]) -> [String] {
        fields.contains { $0.name == name } ? [name] : path
    }

    /// Sets the field in `record`.
    func apply(to record: inout DynamicRecord, of type: OpenType) throws {
        let fields = type.type.fields.map(\.schema)
        let path = path(in: fields)
        if path.count == 1, let part = type.idParts.first(where: { fields[$0.fieldIndex].name == path[0] }) {
            let old = record.values[part.fieldIndex]
            guard try value(of: fields[part.fieldIndex].type, type) != old else { return }
            throw CommandFailure(
                .badData, "\(type.name).\(name) is the id, which cannot change; insert a new record and delete this one"
            )
        }
        try set(path[...], in: &record.values, of: fields, type)
    }

    private func set(
        _ path: ArraySlice<String>, in values: inout [DynamicValue], of fields: [FieldSchema], _ type: OpenType
    ) throws {
        let first = path[path.startIndex]
        let fieldIndex = try fieldIndex(of: first, in: fields, type)
        if path.count == 1 {
            values[fieldIndex] = try value(of: fields[fieldIndex].type, type)
            return
        }
        let schema = try nested(in: fields[fieldIndex], type)
        guard case .fields(var nested) = values[fieldIndex] else {
            throw CommandFailure(
                .badData,
                "\(type.name).\(first) is null, so \(name) cannot be set alone; give \(first) as a JSON object")
        }
        try set(path.dropFirst(), in: &nested, of: schema.fields, type)
        values[fieldIndex] = .fields(nested)
    }

    private func fieldIndex(of part: String, in fields: [FieldSchema], _ type: OpenType) throws -> Int {
        if let fieldIndex = fields.firstIndex(where: { $0.name == part }) { return fieldIndex }
        let remedy = Suggestion.remedy(for: part, among: fields.map(\.name))
        throw CommandFailure(.usage, "\(type.name) has no field \(name)\(remedy)")
    }

    private func nested(in field: FieldSchema, _ type: OpenType) throws -> EmbeddedSchema {
        guard case .embedded(let schema) = field.type.unwrapped else {
            throw CommandFailure(.usage, "\(type.name).\(field.name) has no fields: it is \(field.type)")
        }
        return schema
    }

    private func value(of fieldType: FieldType, _ type: OpenType) throws -> DynamicValue {
        do throws(CodecError) {
            guard case .optional(let wrapped) = fieldType else { return try DynamicValue(text: text, as: fieldType) }
            if text == "null" { return .none }
            let isText = CSVValue.takesEmptyText(wrapped.rawType)
            if isText, text == "\"null\"" { return try DynamicValue(text: "null", as: wrapped) }
            if text.isEmpty, !isText { return .none }
            return try DynamicValue(text: text, as: wrapped)
        } catch {
            throw CommandFailure(.badData, "\(type.name).\(name) \(error.reason)")
        }
    }
}
