import SwiftSyntax

/// A stored field, judged and ready to render.
struct FieldDescription {
    /// The name in the schema.
    let name: String
    /// The name as Swift source, with backticks where it had them.
    let reference: String
    /// The type as written, with `Self` spelled out.
    let type: String
    let access: Access
    /// Whether it is in an index and the spelling of its type does not tell that it can be.
    var needsOrder = false
    /// Whether other modules may inline what reads it.
    let isInlinable: Bool
    /// A `let`, or a setter narrower than the property: its token has no setter.
    let isReadOnly: Bool
    /// Whether the code that uses it must be deprecated too, to be spared the warning.
    let isDeprecated: Bool
    let initialValue: InitialValue
    let oldNames: [String]
    /// What becomes of the record when one that this field refers to is deleted, where that is not the standard rule.
    var deleteRule: String?
}

/// What a record and an embedded value have in common.
struct StructDescription {
    /// The name by which the extension and the tokens refer to the struct.
    let typeName: String
    let access: Access
    let fields: [FieldDescription]
    /// Whether `encode(to:)` reaches nothing that clients cannot.
    let inlinesEncoding: Bool
    /// Whether `init(from:)` reaches nothing that clients cannot.
    let inlinesDecoding: Bool
    /// Whether other modules see the struct, and may inline the container of its tokens.
    let isExported: Bool
    /// What other modules get for an initializer that the struct does not declare.
    var initializerHint: InitializerHint?
}

/// A record, judged and ready to render.
struct RecordDescription {
    enum Identity {
        /// One field. `declaresAlias` is false where the record has a type called `ID` of its own.
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

    let structure: StructDescription
    let storedName: String
    /// Whether `storedName` was given to it, and is not that of the struct.
    let declaresName: Bool
    let identity: Identity
    let indexes: [Index]
    let memberwiseInitializer: MemberwiseInitializer?
}
