import SwiftSyntax
import SwiftSyntaxMacros

/// A stored field, validated and ready to render.
struct FieldDescription {
    /// The name in the schema.
    let name: String
    /// The name in Swift source, with its backticks.
    let reference: String
    /// The type as written, with `Self` replaced.
    let type: String
    let access: Access
    /// Whether it is in an index, and the spelling of its type does not show that it has an order.
    var needsOrder = false
    /// Whether other modules may inline the code that reads it.
    let isInlinable: Bool
    /// Whether it is a `let` or has a setter with a lower access level. Its token then has no setter.
    let isReadOnly: Bool
    /// Whether generated code that uses it must be marked deprecated too, to avoid a warning.
    let isDeprecated: Bool
    let initialValue: InitialValue
    let oldNames: [String]
    /// The place of its property; nil if the compiler reports nothing about its type.
    var place: SourcePlace?
    /// What happens to the record when a record that this field refers to is deleted; nil for the default rule.
    var deleteRule: String?
}

/// The common description of records and embedded values.
struct StructDescription {
    /// The name of the struct in the extension and the tokens.
    let typeName: String
    let access: Access
    var fields: [FieldDescription]
    /// Whether `encode(to:)` uses only declarations that other modules can access.
    let inlinesEncoding: Bool
    /// Whether `init(from:)` uses only declarations that other modules can access.
    let inlinesDecoding: Bool
    /// Whether other modules see the struct, and may inline the container of its tokens.
    let isExported: Bool
    /// The unavailable initializer for other modules, if the struct declares none.
    var initializerHint: InitializerHint?
    /// The comparison of two values, unless the compiler writes it.
    var equality: EqualityRenderer?
}

extension StructDescription {
    /// Gives the fields the places of their properties.
    mutating func locate(_ structure: ParsedStruct, in context: some MacroExpansionContext) {
        for property in structure.properties {
            guard let number = fields.firstIndex(where: { $0.reference == property.identifier.text }) else { continue }
            fields[number].place = SourcePlace(property, in: context)
        }
    }
}

/// A record, validated and ready to render.
struct RecordDescription {
    enum Identity {
        /// One field. `declaresAlias` is false if the record declares its own type `ID`.
        case single(Int, isAssigned: Bool, declaresAlias: Bool)
        case composite([Int])

        var indices: [Int] {
            switch self {
            case .single(let index, _, _): [index]
            case .composite(let indices): indices
            }
        }
    }

    struct Index: Equatable {
        let fields: [Int]
        let isUnique: Bool
    }

    var structure: StructDescription
    let storedName: String
    /// Whether the attribute sets `storedName`.
    let declaresName: Bool
    let identity: Identity
    let indexes: [Index]
    let memberwiseInitializer: MemberwiseInitializer?
}
