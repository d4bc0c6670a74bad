import Foundation

/// Why a change set was written.
public enum ChangeSetKind: Hashable, Sendable, CustomStringConvertible {
    /// A write of the program.
    case user
    /// A migration, between two versions of a ``MigrationPlan``. Nil where the store had no version, or where the migration
    /// follows no plan (`store-cli migrate`).
    case migration(from: String?, to: String?)
    /// An undo of the change set with this sequence number. A write that also changes records in other ways has this kind too.
    case undo(of: UInt64)
    /// A return of all records to their state after the change set with this sequence number: ``WriteTransaction/revert(to:)``.
    case restore(to: UInt64)

    /// Whether a migration wrote the change set.
    package var isMigration: Bool { if case .migration = self { true } else { false } }

    public var description: String {
        switch self {
        case .user: "user"
        case .migration(nil, nil): "migration"
        case .migration(let from, let to): "migration from \(from ?? "none") to \(to ?? "none")"
        case .undo(let sequence): "undo of \(sequence)"
        case .restore(let sequence): "restore to \(sequence)"
        }
    }
}

// The feed stores the kind behind the name of the origin, after a mark: `thermo!undo(12)`. Programs that do not know kinds show
// it as a part of the name.
extension ChangeSetKind {
    static let mark: Character = "!"

    /// The kind as the feed stores it; nil for a write of the program, which has no mark.
    var stored: String? {
        switch self {
        case .user: nil
        case .migration(let from, let to):
            "migration(\(ChangeSetKind.escaped(from ?? ""))>\(ChangeSetKind.escaped(to ?? "")))"
        case .undo(let sequence): "undo(\(sequence))"
        case .restore(let sequence): "restore(\(sequence))"
        }
    }

    /// Parses the text behind a mark; nil if it names no kind.
    init?(stored text: Substring) {
        guard text.last == ")", let open = text.firstIndex(of: "(") else { return nil }
        let content = text[text.index(after: open)...].dropLast()
        switch text[..<open] {
        case "undo":
            guard let sequence = UInt64(content) else { return nil }
            self = .undo(of: sequence)
        case "restore":
            guard let sequence = UInt64(content) else { return nil }
            self = .restore(to: sequence)
        case "migration":
            let names = content.split(separator: ">", maxSplits: 1, omittingEmptySubsequences: false)
            guard names.count == 2, let from = names[0].removingPercentEncoding,
                let to = names[1].removingPercentEncoding
            else { return nil }
            self = .migration(from: from.isEmpty ? nil : from, to: to.isEmpty ? nil : to)
        default: return nil
        }
    }

    private static func escaped(_ name: String) -> String {
        // Alphanumerics are enough, and are neither a mark nor a part of the form.
        name.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }
}
