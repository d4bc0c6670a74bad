import ArgumentParser
import StoreEngine
import StoreExpressions
import StoreRuntime

/// `schema`: shows the record types of a store with their fields.
struct Schema: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows fields, types, defaults, indexes and constraints of all record types or of one.",
        discussion: """
            `--output json` prints the document that `create --schema` reads. For a type whose ids the store assigns, \
            the document contains the greatest assigned id. A store created from it does not assign these ids again, \
            not even those of deleted records.
            """)

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The record type; all types by default.", completion: TypeNameCompletion.kind) var type: String?

    func run() throws {
        let types = try options.read { try DescribedType.all($0, named: type) }
        try options.printing { output in
            switch options.format {
            case .table: try printTables(types, to: output)
            case .json: try output.write(JSONWriter.text(of: SchemaDocument.json(types), layout: .pretty) + "\n")
            case .jsonl:
                for type in types { try output.write(JSONWriter.text(of: SchemaDocument.json(type)) + "\n") }
            case .csv: try printRows(types.map(\.type), to: output)
            }
        }
    }

    private func printTables(_ types: [DescribedType], to output: StandardOutput) throws {
        for (number, described) in types.enumerated() {
            let type = described.type
            if number > 0 { try output.write("\n") }
            let id = type.schema.id.fields.map { type.fields[$0].name }.joined(separator: ", ")
            let assigned = described.greatestAssignedID.map { ", assigned by the store, greatest \($0)" } ?? ""
            let title = "\(type.name), version \(type.version), id \(id)\(assigned)"
            let width = TerminalSize.columns()
            try writeLine(title, width: width, to: output)
            var table = TableWriter(
                columns: [
                    .init(title: "field"), .init(title: "type", wraps: true), .init(title: "optional"),
                    .init(title: "default", wraps: true), .init(title: "index", wraps: true),
                ], width: width)
            for field in type.fields {
                table.append([
                    field.name, "\(field.type.unwrapped)", field.type.isOptional ? "yes" : "", try defaultText(field),
                    indexText(field, of: type),
                ])
            }
            try output.write(table.text)
            for index in type.schema.indexes where index.fields.count > 1 {
                try writeLine(type.schema.describe(index), width: width, to: output)
            }
        }
    }

    private func writeLine(_ text: String, width: Int?, to output: StandardOutput) throws {
        let text = DisplayText.escaped(text)
        for line in width.map({ DisplayText.wrapped(text, to: $0) }) ?? [text] { try output.write(line + "\n") }
    }

    private func printRows(_ types: [RecordType], to output: StandardOutput) throws {
        let names = ["type", "version", "field", "holds", "optional", "default", "id", "indexes"]
        var printer = try RowPrinter(.csv, columns: names.map { OutputColumn($0) }, to: output)
        for type in types {
            let schema = type.schema
            for (fieldIndex, field) in type.fields.enumerated() {
                let indexes = schema.indexes.filter { $0.fields.contains(fieldIndex) }.map(schema.describe)
                let value = try field.schema.defaultValue.map { try SchemaDocument.json($0, of: field.type) }
                try printer.append([
                    OutputCell(type.name), OutputCell(Int(type.version)), OutputCell(field.name),
                    OutputCell("\(field.type)"), OutputCell(.bool(field.type.isOptional)), OutputCell(value ?? .null),
                    OutputCell(.bool(schema.id.fields.contains(fieldIndex))),
                    OutputCell(.array(indexes.map { .string($0) })),
                ])
            }
        }
        try printer.finish()
    }

    private func defaultText(_ field: StoredField) throws -> String {
        switch field.schema.defaultValue {
        case nil: return ""
        case .token(let token): return "." + token.rawValue
        case .value(let bytes):
            let value = unsafe try DynamicValue(from: bytes.span.bytes, as: field.type)
            return value == .none ? "null" : JSONWriter.text(of: value.json(as: field.type))
        }
    }

    private func indexText(_ field: StoredField, of type: RecordType) -> String {
        var words: [String] = []
        if type.idFields.contains(field.id) { words.append("id") }
        for index in type.indexes where index.fields == [field.id] {
            words.append((index.isUnique ? "unique" : "index") + (index.isBuilding ? " (being built)" : ""))
        }
        if field.type.reference != nil { words.append("on delete " + field.schema.deleteRule.rawValue) }
        return words.joined(separator: ", ")
    }
}
