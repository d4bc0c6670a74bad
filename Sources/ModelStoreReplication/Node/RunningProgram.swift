import Foundation
import StoreEngine

/// A running program of a node: where it runs, and which record types it declares. Each process of a node tells the others in a
/// register of its own, which ends soon after the process.
struct RunningProgram: Sendable {
    /// The beginning of the keys of these registers; the node's name and an id of the process follow.
    static let keyPrefix = "program/"
    /// Twice the time between two calls of ``Replicator/keepUp()``.
    static let lifetime = Duration.seconds(20)
    /// The most bytes of a register. The register of a larger program has no types, and the program finds out by itself that it
    /// is too old.
    private static let maximumByteCount = 64 << 10

    /// The node's directory, as ``StoreRuntime/ReplicaAccess/place()`` identifies it.
    let place: String
    private let types: [RecordType]

    init(place: String, types: [RecordType]) {
        self.place = place
        self.types = types
    }

    /// Returns the key of the register of a process.
    static func key(node: String, process: UUID) -> String { keyPrefix(node: node) + "\(process)" }

    /// Returns the beginning of the keys of a node's registers. Nodes whose names begin with this one and a slash have it too.
    static func keyPrefix(node: String) -> String { keyPrefix + node + "/" }

    /// Returns the name of the node whose process has the register with a key.
    static func node(ofKey key: String) -> String {
        let rest = key.dropFirst(keyPrefix.count)
        // The name may contain a slash.
        return String(rest[..<(rest.lastIndex(of: "/") ?? rest.endIndex)])
    }

    private struct Value: Codable {
        let place: String
        /// Nil if they have too many bytes.
        let types: [RecordType]?
    }

    /// Returns nil for a value of another version of ModelStore.
    init?(_ bytes: [UInt8]) {
        guard let value = try? JSONDecoder().decode(Value.self, from: Data(bytes)) else { return nil }
        self.init(place: value.place, types: value.types ?? [])
    }

    /// The value of the register.
    var bytes: [UInt8] {
        get throws {
            let encoder = JSONEncoder()
            let whole = Array(try encoder.encode(Value(place: place, types: types)))
            if whole.count <= Self.maximumByteCount { return whole }
            return Array(try encoder.encode(Value(place: place, types: nil)))
        }
    }

    /// Returns the names of the declared types that the program cannot use if the store has `types`.
    func typesLost(with types: [RecordType]) -> [String] {
        self.types.map(\.schema).filter { schema in
            types.contains { $0.name == schema.name && !SchemaFit(schema, on: $0).servesProgram }
        }
        .map(\.name)
    }
}
