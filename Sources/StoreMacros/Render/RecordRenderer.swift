import SwiftSyntax

/// Renders the extension that makes a struct a record.
struct RecordRenderer {
    let record: RecordDescription

    private var structure: StructDescription { record.structure }
    private var modifier: String { structure.access.modifier }

    func extensionDeclaration(conformingTo protocols: [TypeSyntax]) -> ExtensionDeclSyntax {
        let common = StructRenderer(structure: structure)
        let members =
            identityTypes() + common.tokens() + uniqueTokens(common) + recordName() + [schema(common), recordID()]
            + common.codec()
            + common.equality() + common.initializerHint()
        return StoreMacros.extensionDeclaration(of: structure.typeName, conformingTo: protocols, members: members)
    }

    private func identityTypes() -> [String] {
        switch record.identity {
        case .single(let index, _, let declaresAlias):
            declaresAlias ? ["\(modifier)typealias ID = \(structure.fields[index].type)"] : []
        case .composite(let indices):
            [CompositeIDRenderer(record: structure, indices: indices).rendered()]
        }
    }

    /// Returns the tokens of fields that are unique by themselves, if there are any.
    private func uniqueTokens(_ common: StructRenderer) -> [String] {
        let unique = Set(record.indexes.filter { $0.isUnique && $0.fields.count == 1 }.map { $0.fields[0] })
        return unique.isEmpty ? [] : common.tokens(ofUnique: unique.sorted())
    }

    /// Returns the name in the store, if it differs from the name of the Swift type.
    private func recordName() -> [String] {
        record.declaresName ? ["\(modifier)static var _recordName: String { \(record.storedName.quoted) }"] : []
    }

    private func recordID() -> String {
        let fields = record.identity.indices.map { structure.fields[$0] }
        let isInlinable = fields.allSatisfy(\.isInlinable)
        let value: String
        switch record.identity {
        case .single(let index, _, _): value = "self.\(structure.fields[index].reference)"
        case .composite: value = "ID(\(fields.map { "\($0.reference): self.\($0.reference)" }.joined(separator: ", ")))"
        }
        return "\(isInlinable ? "@inlinable " : "")\(modifier)var recordID: ID { \(value) }"
    }

    private func schema(_ common: StructRenderer) -> String {
        let indexes = record.indexes.map { index in
            "ModelStore.IndexSchema(\(index.fields)\(index.isUnique ? ", isUnique: true" : ""))"
        }
        let list = indexes.isEmpty ? "[]" : "[\n\(indexes.joined(separator: ",\n").indented)\n]"
        var isAssigned = false
        if case .single(_, true, _) = record.identity { isAssigned = true }
        let arguments = """
            name: \(record.storedName.quoted),
            fields: [
            \(common.schemaEntries().indented)
            ],
            id: ModelStore.IDSchema(\(record.identity.indices)\(isAssigned ? ", isAssigned: true" : "")),
            indexes: \(list)
            """
        return "\(modifier)static let recordSchema = ModelStore.RecordSchema(\n\(arguments.indented)\n)"
    }
}
