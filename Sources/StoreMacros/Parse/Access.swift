import SwiftSyntax

/// An access level, from the narrowest to the widest.
enum Access: Int, Comparable {
    case `private`, `fileprivate`, `internal`, package, `public`

    static func < (left: Access, right: Access) -> Bool { left.rawValue < right.rawValue }

    /// The modifier for a generated declaration with this access level, with a space after it.
    ///
    /// `private` becomes `fileprivate`: generated members are in an extension, where `private` would make them unusable.
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

    /// Returns the access level of the setter from a modifier such as `private(set)`.
    static func ofSetter(_ modifier: DeclModifierSyntax) -> Access? {
        modifier.detail == nil ? nil : Access(keyword: modifier.name.tokenKind)
    }
}

extension DeclModifierListSyntax {
    /// The access level from the source, if any.
    var access: Access? { lazy.compactMap(Access.init).first }

    var accessModifier: DeclModifierSyntax? { first { Access($0) != nil } }

    func contains(_ keyword: Keyword) -> Bool { contains { $0.name.tokenKind == .keyword(keyword) } }
}
