import LMDB
import StoreEngine

extension PlantedDamage {
    private static let s2 = Sensor(id: "s2", room: "r0", serial: "A-2", celsius: 21.5)

    /// Damage to records.
    static let records: [PlantedDamage] = [
        PlantedDamage("a flipped bit in a record", "checksum @ records of Sensor, id s2") { raw in
            try raw.change(SampleStore.sensors, key("s2")) { $0[$0.count - 1] ^= 1 }
        },
        PlantedDamage("a flipped bit in a record's incarnation", "checksum @ records of Sensor, id s2") { raw in
            try raw.change(SampleStore.sensors, key("s2")) { $0[9] ^= 1 }
        },
        PlantedDamage("a record cut to its header", "undecodable @ records of Sensor, id \(hex(key("s2")))") { raw in
            try raw.change(SampleStore.sensors, key("s2")) { $0 = Array($0.prefix(16)) }
        },
        PlantedDamage("a text that is not UTF-8", "undecodable @ records of Sensor, id s1, field note") { raw in
            try raw.change(SampleStore.sensors, key("s1")) { value in
                // The note is directly before the last field, `ground`.
                value[value.count - "ground".utf8.count - 1] = 0xFF
                value = KeyBytes.resealed(value)
            }
        },
        PlantedDamage(
            "an enum's unknown case", "undecodable @ records of Sensor, id s1, field floor",
            "strayEntry @ index (floor, celsius) of Sensor, entry 67726f756e6400018000000000000000\(hex(key("s1")))"
        ) { raw in
            try raw.change(SampleStore.sensors, key("s1")) { value in
                value[value.count - 1] = UInt8(ascii: "D")
                value = KeyBytes.resealed(value)
            }
        },
        PlantedDamage("bytes after the last field", "undecodable @ records of Sensor, id s2") { raw in
            try raw.change(SampleStore.sensors, key("s2")) { $0 = KeyBytes.resealed($0 + [0]) }
        },
        PlantedDamage(
            "a version that the catalog does not know", "undecodable @ records of Sensor, id \(hex(key("s2")))"
        ) { raw in
            try raw.put(SampleStore.sensors, key("s2"), KeyBytes.record(s2, version: 7, incarnation: 4))
        },
        PlantedDamage(
            "a record under another key", "wrongKey @ records of Sensor, id s2",
            "missing @ records of Sensor, id s2",
            "strayEntry @ index (room) of Sensor, entry \(hex(key("r0") + key("s2")))",
            "strayEntry @ index (serial) of Sensor, entry \(hex(key("A-2")))",
            "strayEntry @ index (floor, celsius) of Sensor, entry 67726f756e640001c035800000000000\(hex(key("s2")))"
        ) { raw in
            let value = try raw.value(SampleStore.sensors, key("s2"))
            try raw.delete(SampleStore.sensors, key("s2"))
            try raw.put(SampleStore.sensors, key("s2x"), value)
        },
        PlantedDamage(
            "a record that is gone while its entries are left", "missing @ records of Sensor, id s2",
            "strayEntry @ index (room) of Sensor, entry \(hex(key("r0") + key("s2")))",
            "strayEntry @ index (serial) of Sensor, entry \(hex(key("A-2")))",
            "strayEntry @ index (floor, celsius) of Sensor, entry 67726f756e640001c035800000000000\(hex(key("s2")))"
        ) { raw in
            try raw.delete(SampleStore.sensors, key("s2"))
        },
        PlantedDamage("a record changed behind the feed", "contradiction @ records of Sensor, id s2") { raw in
            var changed = s2
            changed.note = "changed"
            try raw.put(SampleStore.sensors, key("s2"), KeyBytes.record(changed, incarnation: 4))
        },
        PlantedDamage("another incarnation", "contradiction @ records of Sensor, id s2") { raw in
            try raw.put(SampleStore.sensors, key("s2"), KeyBytes.record(s2, incarnation: 3))
        },
        PlantedDamage(
            "a deleted record that is there again", "contradiction @ records of Ticket, id 40",
            "missingEntry @ records of Ticket, id 40"
        ) { raw in
            let ticket = Ticket(id: 40, owner: "bob", rank: 2)
            try raw.put(SampleStore.tickets, KeyBytes.of(40), KeyBytes.record(ticket, incarnation: 5))
        },
        PlantedDamage(
            "a record that no change set inserted", "contradiction @ records of Sensor, id s9",
            "missingEntry @ records of Sensor, id s9"
        ) { raw in
            let stranger = Sensor(id: "s9", room: "r", serial: "A-9")
            try raw.put(SampleStore.sensors, key("s9"), KeyBytes.record(stranger, incarnation: 4))
        },
    ]

    /// Damage to indexes.
    static let indexes: [PlantedDamage] = [
        PlantedDamage("a deleted entry", "missingEntry @ records of Sensor, id s2") { raw in
            try raw.delete(SampleStore.rooms, key("r0") + key("s2"))
        },
        PlantedDamage("a deleted entry of a unique index", "missingEntry @ records of Sensor, id s2") { raw in
            try raw.delete(SampleStore.serials, key("A-2"))
        },
        PlantedDamage(
            "a stray entry that leads to a record with another value",
            "strayEntry @ index (room) of Sensor, entry \(hex(key("r1") + key("s2")))"
        ) { raw in
            let entry = key("s2")
            try raw.put(SampleStore.rooms, key("r1") + entry, [0, UInt8(entry.count)])
        },
        PlantedDamage(
            "a stray entry that leads to nothing", "strayEntry @ index (serial) of Sensor, entry \(hex(key("A-9")))"
        ) { raw in
            try raw.put(SampleStore.serials, key("A-9"), [1] + key("s9"))
        },
        PlantedDamage(
            "a unique entry that leads to another record", "missingEntry @ records of Sensor, id s2",
            "strayEntry @ index (serial) of Sensor, entry \(hex(key("A-2")))"
        ) { raw in
            try raw.put(SampleStore.serials, key("A-2"), [1] + key("s1"))
        },
        PlantedDamage(
            "a unique entry in the shared form", "missingEntry @ records of Sensor, id s2",
            "strayEntry @ index (serial) of Sensor, entry \(hex(key("A-2") + key("s2")))"
        ) { raw in
            let entry = key("s2")
            try raw.delete(SampleStore.serials, key("A-2"))
            try raw.put(SampleStore.serials, key("A-2") + entry, [0, UInt8(entry.count)])
        },
        PlantedDamage(
            "an entry in neither form", "undecodable @ index (room) of Sensor, entry \(hex(key("r0") + key("s2")))"
        ) { raw in
            try raw.put(SampleStore.rooms, key("r0") + key("s2"), [9, 9])
        },
        PlantedDamage(
            "an entry whose length goes past its key",
            "undecodable @ index (room) of Sensor, entry \(hex(key("r0") + key("s2")))"
        ) { raw in
            try raw.put(SampleStore.rooms, key("r0") + key("s2"), [0, 200])
        },
        PlantedDamage(
            "a shared entry with the data of a unique one",
            "undecodable @ index (room) of Sensor, entry \(hex(key("r0") + key("s2")))"
        ) { raw in
            try raw.put(SampleStore.rooms, key("r0") + key("s2"), [1] + key("s2"))
        },
        PlantedDamage(
            "two records with one long unique value", "contradiction @ records of Sensor, id twin",
            "duplicateValue @ index (serial) of Sensor, entry \(hex(longEntry("twin")))"
        ) { raw in
            let twin = Sensor(id: "twin", room: "r", serial: SampleStore.longSerial, floor: .attic)
            try raw.put(SampleStore.sensors, key("twin"), KeyBytes.record(twin, incarnation: 6))
            let length = UInt8(key("twin").count)
            try raw.put(SampleStore.rooms, key("r") + key("twin"), [0, length])
            try raw.put(SampleStore.serials, longEntry("twin"), [0, length])
            let floor = KeyBytes.of(Floor.attic) + KeyBytes.of(0.0)
            try raw.put(StoreDatabases.indexName(type: 1, index: 2), floor + key("twin"), [0, length])
        },
    ]

    private static func longEntry(_ id: String) -> [UInt8] {
        var writer = ByteWriter()
        SampleStore.longSerial.encodeKey(to: &writer)
        _ = KeyLimit.truncateIndexValue(&writer, from: 0, SampleStore.keyHash)
        return writer.array() + key(id)
    }
}
