/// What is alive, by whom and since when. As text through `description`, as JSON through `Codable`.
public struct OwnershipReport: Sendable, Codable, Equatable {
    /// One who keeps an object alive.
    public struct Pin: Sendable, Codable, Equatable, CustomStringConvertible {
        /// Why.
        public let kind: PinKind
        /// Who, where that is known: a scope's path, or an object's type, or that it is gone.
        public let holder: String?
        /// The line that did it.
        public let line: SourceLine
        /// Since how many seconds.
        public let ageSeconds: Double

        public var description: String {
            "\(kind.rawValue)\(holder.map { " in \($0)" } ?? "") for \(OwnershipReport.text(ageSeconds)), \(line)"
        }
    }

    /// An object that is alive.
    public struct Object: Sendable, Codable, Equatable, CustomStringConvertible {
        /// The record type's name for a model, else the Swift type's.
        public let type: String
        /// The record's id for a model.
        public let id: String?
        /// The number of the newest change set that a model has applied.
        public let position: UInt64?
        /// Who keeps it alive, the newest first. Without any it is whoever has a plain reference to it.
        public let pins: [Pin]
        /// Whether it is only kept in case somebody asks for it again.
        public let isResting: Bool

        public var description: String {
            let name = id.map { "\(type) \($0)" } ?? type
            let suffix = position.map { ", at position \($0)" } ?? ""
            if isResting { return "\(name)\(suffix): kept for the grace period" }
            if pins.isEmpty { return "\(name)\(suffix): no pins; whoever has a plain reference keeps it" }
            return "\(name)\(suffix)\n" + pins.map { "    \($0)" }.joined(separator: "\n")
        }
    }

    /// An object that is alive although the last scope that owned or borrowed it is closed.
    public struct Leak: Sendable, Codable, Equatable, CustomStringConvertible {
        /// The object, with those who pin it still.
        public let object: Object
        /// The path of the scope that was the last.
        public let scope: String
        /// The line by which that scope had it.
        public let line: SourceLine
        /// Since how many seconds that scope is closed.
        public let ageSeconds: Double

        public var description: String {
            "leaked for \(OwnershipReport.text(ageSeconds)) after \(scope) closed, which had it by \(line): \(object)"
        }
    }

    /// A scope that is open.
    public struct Scope: Sendable, Codable, Equatable, CustomStringConvertible {
        /// The names from the root to it.
        public let path: String
        /// The line that opened it.
        public let line: SourceLine
        /// Since how many seconds.
        public let ageSeconds: Double
        /// How many objects it pins.
        public let pinCount: Int
        /// How many tasks and effects of it run.
        public let taskCount: Int
        /// How many child scopes it has.
        public let childCount: Int

        public var description: String {
            "\(path): \(pinCount) pins, \(taskCount) tasks, \(childCount) children, "
                + "for \(OwnershipReport.text(ageSeconds)), \(line)"
        }
    }

    /// How often initial values for a place in the source were made, and how often one was used.
    public struct RepeatedConstruction: Sendable, Codable, Equatable, CustomStringConvertible {
        /// The line of the property.
        public let line: SourceLine
        /// What is made.
        public let type: String
        /// How often it was made.
        public let constructedCount: Int
        /// How often that was used.
        public let usedCount: Int

        public var description: String { "\(type) at \(line): \(constructedCount) made, \(usedCount) used" }
    }

    /// The live models and other pinned objects, in the order of their types and ids.
    public let objects: [Object]
    /// What is alive and should not be.
    public let leaks: [Leak]
    /// The open scopes, in the order of their paths.
    public let scopes: [Scope]
    /// Owners that keep each other alive: the labels along each path, the first one again at its end.
    public let cycles: [[String]]
    /// How often initial values were made.
    public let constructions: [RepeatedConstruction]

    /// Whether nothing is pinned, resting, leaked, or open.
    public var isEmpty: Bool { objects.isEmpty && leaks.isEmpty && scopes.isEmpty }

    static func text(_ seconds: Double) -> String {
        if seconds < 1 { return "\(Int(seconds * 1_000)) ms" }
        if seconds < 120 { return "\(Int(seconds * 10) / 10) s" }
        return "\(Int(seconds / 60)) min"
    }
}

extension OwnershipReport: CustomStringConvertible {
    public var description: String {
        var lines: [String] = []
        func section(_ title: String, _ items: [String]) {
            if items.isEmpty { return }
            lines.append("\(title) (\(items.count))")
            lines += items.map { "  " + $0 }
        }
        section("Scopes", scopes.map(\.description))
        section("Objects", objects.map(\.description))
        section("Leaks", leaks.map(\.description))
        section("Cycles", cycles.map { $0.joined(separator: " -> ") })
        section("Constructions", constructions.map(\.description))
        return lines.isEmpty ? "nothing is alive" : lines.joined(separator: "\n")
    }
}
