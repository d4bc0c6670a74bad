import LMDB
import StoreEngine

/// Damage that a test plants in a sample store, and the complete findings that `verify` must report.
struct PlantedDamage: Sendable, CustomStringConvertible {
    let description: String
    /// The kind and location of each finding.
    let expected: Set<String>
    let plant: @Sendable (inout LMDBWriteTransaction) throws -> Void

    init(
        _ description: String, _ expected: String...,
        plant: @escaping @Sendable (inout LMDBWriteTransaction) throws -> Void
    ) {
        self.description = description
        self.expected = Set(expected)
        self.plant = plant
    }

    static func key(_ id: String) -> [UInt8] { KeyBytes.of(id) }

    static func hex(_ bytes: [UInt8]) -> String { unsafe HexText.of(bytes.span.bytes) }

    static func number(_ type: UInt32) -> [UInt8] {
        var writer = ByteWriter()
        writer.append(bigEndian: type)
        return writer.array()
    }
}
