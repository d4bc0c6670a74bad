import StoreEngine

/// A report of the live objects: their owners and borrowers, and the age of each pin; and of the pages of the file that the
/// store's redo log keeps. `description` gives it as text, with escapes for control and format characters, and `Codable` as JSON.
public struct OwnershipReport: Sendable, Codable, Equatable {
    /// A pin, which keeps an object alive.
    public struct Pin: Sendable, Codable, Equatable, CustomStringConvertible {
        /// Why the pin keeps the object alive.
        public let kind: PinKind
        /// The holder of the pin, if it is known: a scope's path, an object's name, or a note that the holder is gone.
        public let holder: String?
        /// The registry that has the pin, if it is not the one that makes the report: `the store PATH`, or `a registry without a
        /// store`.
        public let registry: String?
        /// The line that took the pin.
        public let line: SourceLine
        /// The age of the pin in seconds.
        public let ageSeconds: Double

        public var description: String {
            let place = [holder, registry].compactMap(\.self).joined(separator: " of ")
            let within = place.isEmpty ? "" : " in \(DisplayText.escaped(place))"
            return "\(kind.rawValue)\(within) for \(OwnershipReport.text(ageSeconds)), \(line)"
        }
    }

    /// A live object.
    public struct Object: Sendable, Codable, Equatable, CustomStringConvertible {
        /// The name of the record type for a model, otherwise of the Swift type.
        public let type: String
        /// The record's id for a model.
        public let id: String?
        /// The registry of a model's store, if it is not the one that makes the report, in the form of ``Pin/registry``.
        public let registry: String?
        /// The number of the newest change set that a model has applied.
        public let position: UInt64?
        /// The pins that keep the object alive, the newest first. Without pins, a plain reference keeps it.
        public let pins: [Pin]
        /// Whether only the grace period keeps the object alive.
        public let isResting: Bool

        public var description: String {
            let name = id.map { "\(type) \(DisplayText.escaped($0))" } ?? type
            let origin = registry.map { " of \(DisplayText.escaped($0))" } ?? ""
            let suffix = origin + (position.map { ", at position \($0)" } ?? "")
            if isResting { return "\(name)\(suffix): kept for the grace period" }
            if pins.isEmpty { return "\(name)\(suffix): no pins; a plain reference keeps it alive" }
            return "\(name)\(suffix)\n" + pins.map { "    \($0)" }.joined(separator: "\n")
        }
    }

    /// An object that is alive although the last scope that owned or borrowed it is closed.
    public struct Leak: Sendable, Codable, Equatable, CustomStringConvertible {
        /// The object, with its remaining pins.
        public let object: Object
        /// The path of the last scope that owned or borrowed the object.
        public let scope: String
        /// The line that gave the object to that scope.
        public let line: SourceLine
        /// How many seconds ago that scope was closed.
        public let ageSeconds: Double

        public var description: String {
            "leaked for \(OwnershipReport.text(ageSeconds)) since the scope \(DisplayText.escaped(scope)) closed, "
                + "which held it from \(line): \(object)"
        }
    }

    /// An open scope.
    public struct Scope: Sendable, Codable, Equatable, CustomStringConvertible {
        /// The names from the root to the scope.
        public let path: String
        /// The line that opened it.
        public let line: SourceLine
        /// The age of the scope in seconds.
        public let ageSeconds: Double
        /// The number of its pins.
        public let pinCount: Int
        /// The number of its running tasks and effects.
        public let taskCount: Int
        /// The number of its child scopes.
        public let childCount: Int

        public var description: String {
            "\(DisplayText.escaped(path)): \(pinCount) pins, \(taskCount) tasks, \(childCount) children, "
                + "for \(OwnershipReport.text(ageSeconds)), \(line)"
        }
    }

    /// Owners that keep each other alive.
    public struct Cycle: Sendable, Codable, Equatable, CustomStringConvertible {
        /// One of the owners.
        public struct Owner: Sendable, Codable, Equatable {
            /// The name of the owner. Several objects of one name in the report's cycles have numbers: `Session #2`.
            public let name: String
            /// The line that makes it keep the next owner, or the last owner keep the first.
            public let line: SourceLine
        }

        /// The owners, each of which keeps the next one. The last one keeps the first.
        public let owners: [Owner]

        public var description: String {
            DisplayText.escaped(owners.map { "\($0.name) (\($0.line)) -> " }.joined() + (owners.first?.name ?? ""))
        }
    }

    /// How often a property's initial value was made, and how often one was used.
    public struct RepeatedConstruction: Sendable, Codable, Equatable, CustomStringConvertible {
        /// The line of the property.
        public let line: SourceLine
        /// The type of the value.
        public let type: String
        /// How often an initial value was made.
        public let constructedCount: Int
        /// How often an initial value was used.
        public let usedCount: Int

        public var description: String { "\(type) at \(line): \(constructedCount) made, \(usedCount) used" }
    }

    /// The live models and other pinned objects, sorted by type and id.
    public let objects: [Object]
    /// The objects that are alive and should not be.
    public let leaks: [Leak]
    /// The open scopes, sorted by path.
    public let scopes: [Scope]
    /// Owners that keep each other alive. Each cycle occurs once.
    public let cycles: [Cycle]
    /// How often initial values were made.
    public let constructions: [RepeatedConstruction]
    /// The store's redo log; nil for a store without one, for a closed store, and where the log could not be read.
    public let redoLog: RedoLogUsage?

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
        section("Cycles", cycles.map(\.description))
        section("Constructions", constructions.map(\.description))
        if lines.isEmpty { lines.append("nothing is alive") }
        if let redoLog { lines.append("Redo log: \(redoLog)") }
        return lines.joined(separator: "\n")
    }
}
