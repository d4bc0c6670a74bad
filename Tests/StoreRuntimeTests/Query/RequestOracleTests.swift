import Foundation
import LMDB
import StoreEngine
import StoreRuntime
import TestSupport
import Testing

/// Random requests over random records, answered by every possible path and compared with an oracle.
@Suite struct RequestOracleTests {
    private static let blocks = TestLength.seedBlocks(5, long: 200, of: 10)

    /// Records with required and optional structs, enums and indexed arrays.
    private static let crates: RecordSchema = {
        func field(_ name: String, _ type: FieldType) -> FieldSchema {
            FieldSchema(name: name, type: type, defaultValue: nil, renamedFrom: [])
        }
        let kind = FieldType.enumeration(.string, cases: ["a", "ab", "b", "kit"])
        let spot = EmbeddedSchema(fields: [field("city", .string), field("kind", .optional(kind))])
        let place = EmbeddedSchema(
            fields: [field("level", .int32), field("spot", .embedded(spot)), field("back", .optional(.embedded(spot)))])
        return RecordSchema(
            name: "Crate",
            fields: [
                field("id", .int64), field("kind", kind), field("other", .optional(kind)),
                field("place", .embedded(place)), field("spare", .optional(.embedded(place))),
                field("labels", .array(.string)), field("marks", .optional(.array(.optional(.int32)))),
            ],
            id: IDSchema([0]),
            indexes: [IndexSchema([1]), IndexSchema([2, 1]), IndexSchema([5]), IndexSchema([6])])
    }()

    @Test(arguments: blocks)
    func `every path gives what evaluating each record gives`(seeds: Range<UInt64>) throws {
        for seed in seeds {
            var generator = RequestGenerator(random: TestRandom(seed: seed))
            let store = try Store.temporary(records: Sensor.self, Slot.self)
            try store.addTypes([Self.crates])
            try fill(store, &generator)
            for name in ["Sensor", "Slot", "Crate"] {
                let index = try store.typeIndex(named: name)
                try RequestCheck.run(40, place: "seed \(seed), \(name)", store, index, &generator)
            }
            store.close()
        }
    }

    private func fill(_ store: Store, _ generator: inout RequestGenerator) throws {
        var generatorCopy = generator
        let count = generatorCopy.pick([0, 1, 5, 60])
        var sensors: [Sensor] = []
        var slots: [Slot] = []
        for number in 0..<count {
            sensors.append(
                Sensor(
                    id: generatorCopy.id(number),
                    room: generatorCopy.pick(RequestGenerator.texts),
                    serial: "\(generatorCopy.pick(RequestGenerator.texts))\(number)",
                    celsius: generatorCopy.pick(RequestGenerator.doubles), note: generatorCopy.optionalText(),
                    floor: generatorCopy.pick(Floor.allCases)))
            slots.append(
                Slot(
                    room: generatorCopy.pick(["a", "a\u{0}", "b", "日本", RequestGenerator.longRoom]),
                    hour: Int16(number - 3),
                    guest: generatorCopy.optionalText(), minutes: generatorCopy.chance(40) ? nil : UInt8(number)))
        }
        let fields = Self.crates.fields
        let crates = (0..<count).map { number in
            DynamicRecord(values: [.int(Int64(number))] + fields.dropFirst().map { generatorCopy.value($0.type) })
        }
        generator = generatorCopy
        let typeIndex = try store.typeIndex(named: "Crate")
        let (allSensors, allSlots) = (sensors, slots)
        try store.write { tx in
            for sensor in allSensors { try tx.insert(sensor) }
            for slot in allSlots { try tx.upsert(slot) }
            for crate in crates { _ = try tx.put(crate, typeIndex: typeIndex, mode: .insert) }
        }
    }
}
