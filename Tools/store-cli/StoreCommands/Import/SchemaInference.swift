import StoreEngine

/// The user's options for a type that is created from the input.
struct NewTypeOptions {
    var id: [String]
    var index: [String]
    var unique: [String]
    /// Whether the user named no id, so that ``id`` is the default field of a new type.
    var assumesID = false

    /// Whether the user gave no options.
    var isEmpty: Bool { id.isEmpty && index.isEmpty && unique.isEmpty }
}

/// Infers the schema of a new type from all rows.
struct SchemaInference {
    private var fields = InferredFields()

    /// Adds a row.
    mutating func add(_ row: ImportRow, columns: [String]?) {
        switch row.content {
        case .members(let members): fields.add(members, line: row.line, depth: 0)
        case .cells(let cells): fields.add(cells, columns: columns ?? [], line: row.line)
        }
    }

    /// Returns the schema of all rows.
    ///
    /// - Throws: ``CommandFailure`` if there is no record, or if an option names a field that is missing or has no order.
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
