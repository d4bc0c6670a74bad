import LMDB
import StoreEngine

/// Damage that a test plants in a sample store, and all that `verify` must find then.
struct PlantedDamage: Sendable, CustomStringConvertible {
    let description: String
    /// Kind and place of each finding.
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
