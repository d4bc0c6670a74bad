import SwiftSyntax

/// An access level, from the narrowest to the widest.
enum Access: Int, Comparable {
    case `private`, `fileprivate`, `internal`, package, `public`

    static func < (left: Access, right: Access) -> Bool { left.rawValue < right.rawValue }

    /// What is written before a generated declaration that reaches this far, with its space.
    ///
    /// `private` becomes `fileprivate`: generated members live in an extension, and a narrower one could not be used
    /// there.
    var modifier: String {
        switch self {
        case .private, .fileprivate: "fileprivate "
        case .internal: ""
        case .package: "package "
        case .public: "public "
        }
    }

    init?(_ modifier: DeclModifierSyntax) {
        guard modifier.detail == nil else { return nil }
        self.init(keyword: modifier.name.tokenKind)
    }

    private init?(keyword: TokenKind) {
        switch keyword {
        case .keyword(.private): self = .private
        case .keyword(.fileprivate): self = .fileprivate
        case .keyword(.internal): self = .internal
        case .keyword(.package): self = .package
        case .keyword(.public), .keyword(.open): self = .public
        default: return nil
        }
    }

    /// The level a `private(set)`-like modifier gives the setter.
    static func ofSetter(_ modifier: DeclModifierSyntax) -> Access? {
        modifier.detail == nil ? nil : Access(keyword: modifier.name.tokenKind)
    }
}

extension DeclModifierListSyntax {
    /// The access level that is written, if any.
    var access: Access? { lazy.compactMap(Access.init).first }

    var accessModifier: DeclModifierSyntax? { first { Access($0) != nil } }

    func contains(_ keyword: Keyword) -> Bool { contains { $0.name.tokenKind == .keyword(keyword) } }
}
