import Foundation
import StoreEngine

/// The record types that the running program of a node declares. The node tells the others in a register, which ends soon after the
/// program.
struct RunningProgram: Sendable {
    /// The beginning of the keys of these registers; the node's name follows.
    static let keyPrefix = "program/"
    /// Twice the time between two calls of ``Replicator/keepUp()``.
    static let lifetime = Duration.seconds(20)
    /// The most bytes of a register. The register of a larger program says only that it runs, and it finds out by itself that it is too
    /// old.
    private static let maximumByteCount = 64 << 10

    let declared: [RecordSchema]

    /// Returns nil for a value of another version of ModelStore.
    init?(_ bytes: [UInt8]) {
        guard let types = try? JSONDecoder().decode([RecordType].self, from: Data(bytes)) else { return nil }
        declared = types.map(\.schema)
    }

    /// Returns the value of the register, which is empty if the types have too many bytes.
    static func bytes(of declared: [RecordType]) throws -> [UInt8] {
        let bytes = Array(try JSONEncoder().encode(declared))
        return bytes.count <= maximumByteCount ? bytes : []
    }

    /// Returns the names of the declared types that the program cannot use if the store has `types`.
    func typesLost(with types: [RecordType]) -> [String] {
        declared.filter { schema in
            types.contains { $0.name == schema.name && !SchemaFit(schema, on: $0).servesProgram }
        }
        .map(\.name)
    }
}
