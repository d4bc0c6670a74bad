import StoreEngine

/// What the user says of a type that is to be made from the input.
struct NewTypeOptions {
    var id: [String]
    var index: [String]
    var unique: [String]
    /// Whether nothing was said of the id, and ``id`` is the field that a new type then has.
    var assumesID = false

    /// Whether anything was said.
    var isEmpty: Bool { id.isEmpty && index.isEmpty && unique.isEmpty }
}

/// Finds the schema of a new type by looking at every row.
struct SchemaInference {
    private var fields = InferredFields()

    /// Takes a row in.
    mutating func add(_ row: ImportRow, columns: [String]?) {
        switch row.content {
        case .members(let members): fields.add(members, line: row.line, depth: 0)
        case .cells(let cells): fields.add(cells, columns: columns ?? [], line: row.line)
        }
    }

    /// The schema of all rows.
    ///
    /// - Throws: ``CommandFailure`` when there is nothing to infer from, or an option names what is not there or has no
    ///   order.
    func schema(named name: String, _ options: NewTypeOptions) throws -> RecordSchema {
        guard fields.count > 0 else {
            throw CommandFailure(.badData, "there is no record to infer the schema of \(name) from")
        }
        let schemas = fields.fields(required: Set(options.id))
        func fieldIndex(_ field: String, _ option: String) throws -> Int {
            guard let fieldIndex = schemas.firstIndex(where: { $0.name == field }) else {
                if options.assumesID, option == "--id" { throw missingID(field) }
                let remedy = Suggestion.remedy(for: field, among: fields.fieldNames)
                throw CommandFailure(
                    .usage, "\(option) names the field \(field), which the input does not have\(remedy)")
            }
            let type = schemas[fieldIndex].type
            guard type.isIndexable else {
                let why = fields.type(of: field)?.conflict.map { " (\($0))" } ?? ""
                throw CommandFailure(
                    .usage, "\(option) names the field \(field), whose values have no order: they are \(type)\(why)")
            }
            return fieldIndex
        }
        func indexes(_ options: [String], _ option: String, isUnique: Bool) throws -> [IndexSchema] {
            try options.map { list in
                let names = list.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
                return IndexSchema(try names.map { try fieldIndex($0, option) }, isUnique: isUnique)
            }
        }
        let schema = RecordSchema(
            name: name, fields: schemas, id: IDSchema(try options.id.map { try fieldIndex($0, "--id") }),
            indexes: try indexes(options.index, "--index", isUnique: false)
                + indexes(options.unique, "--unique", isUnique: true))
        do {
            try schema.validate()
        } catch {
            throw CommandFailure(.usage, error.text)
        }
        return schema
    }

    private func missingID(_ field: String) -> CommandFailure {
        CommandFailure(
            .usage,
            "without --id, the id of a new type is the field \(field), which the input does not have; "
                + "give --id FIELD, where the input has \(fields.fieldNames.joined(separator: ", "))")
    }
}
