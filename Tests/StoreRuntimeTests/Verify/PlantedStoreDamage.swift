import LMDB
import StoreEngine

extension PlantedDamage {
    /// Damage to metadata, catalog and databases.
    static let store: [PlantedDamage] = [
        PlantedDamage("no format", "missing @ metadata format") { raw in
            try raw.delete(SampleStore.metadata, MetadataKey.format)
        },
        PlantedDamage("a newer format", "unknown @ metadata format") { raw in
            try raw.put(SampleStore.metadata, MetadataKey.format, KeyBytes.little(StoreFormat.version + 1))
        },
        PlantedDamage("no identity", "missing @ metadata identity") { raw in
            try raw.delete(SampleStore.metadata, MetadataKey.identity)
        },
        PlantedDamage("an identity of another length", "undecodable @ metadata identity") { raw in
            try raw.put(SampleStore.metadata, MetadataKey.identity, [1])
        },
        PlantedDamage("no head", "missing @ metadata head") { raw in
            try raw.delete(SampleStore.metadata, MetadataKey.head)
        },
        PlantedDamage("no version of the catalog", "missing @ metadata catalog") { raw in
            try raw.delete(SampleStore.metadata, MetadataKey.catalogVersion)
        },
        PlantedDamage("no home", "missing @ metadata home") { raw in
            try raw.delete(SampleStore.metadata, MetadataKey.home)
        },
        PlantedDamage("no secret", "missing @ metadata secret") { raw in
            try raw.delete(SampleStore.metadata, MetadataKey.keySecret)
        },
        PlantedDamage("a secret of another length", "undecodable @ metadata secret") { raw in
            try raw.put(SampleStore.metadata, MetadataKey.keySecret, [1])
        },
        PlantedDamage("a flipped bit in the secret", "undecodable @ metadata secret") { raw in
            try raw.change(SampleStore.metadata, MetadataKey.keySecret) { $0[9] ^= 4 }
        },
        PlantedDamage("an unknown entry", "unknown @ metadata stranger") { raw in
            try raw.put(SampleStore.metadata, Array("stranger".utf8), [1])
        },
        PlantedDamage("a counter that is too low", "contradiction @ metadata assigned.2") { raw in
            try raw.put(SampleStore.metadata, MetadataKey.assigned(type: 2), KeyBytes.little(UInt64(39)))
        },
        PlantedDamage("a counter that is missing", "contradiction @ metadata assigned.2") { raw in
            try raw.delete(SampleStore.metadata, MetadataKey.assigned(type: 2))
        },
        PlantedDamage("a counter that cannot be read", "undecodable @ metadata assigned.2") { raw in
            try raw.put(SampleStore.metadata, MetadataKey.assigned(type: 2), [1])
        },
        PlantedDamage("a counter of a type without assigned ids", "unknown @ metadata assigned.1") { raw in
            try raw.put(SampleStore.metadata, MetadataKey.assigned(type: 1), KeyBytes.little(UInt64(1)))
        },
        PlantedDamage("a counter of no type", "unknown @ metadata assigned.77") { raw in
            try raw.put(SampleStore.metadata, MetadataKey.assigned(type: 77), KeyBytes.little(UInt64(1)))
        },
        PlantedDamage("a flipped bit in the catalog", "checksum @ catalog, record type 1") { raw in
            try raw.change(SampleStore.catalog, number(1)) { $0[30] ^= 1 }
        },
        PlantedDamage("a catalog entry cut short", "undecodable @ catalog, record type 1") { raw in
            try raw.change(SampleStore.catalog, number(1)) { $0 = [1, 2] }
        },
        PlantedDamage("a catalog entry under another number", "contradiction @ catalog, record type 9") { raw in
            try raw.put(SampleStore.catalog, number(9), raw.value(SampleStore.catalog, number(1)))
        },
        PlantedDamage("a key of the catalog of another length", "undecodable @ catalog") { raw in
            try raw.put(SampleStore.catalog, [1], [2])
        },
        PlantedDamage("a catalog entry changed behind the feed", "contradiction @ catalog, record type 1") { raw in
            try raw.changeCatalog(1) { $0.nextFieldID += 1 }
        },
        PlantedDamage("two types with one name", "contradiction @ catalog, record type 3") { raw in
            try raw.changeCatalog(3) { $0.name = "Sensor" }
        },
        PlantedDamage("an index over an unknown field", "contradiction @ catalog, record type 3") { raw in
            try raw.changeCatalog(3) { $0.indexes[0].fields = [99] }
        },
        PlantedDamage("a missing database of an index", "missing @ database index.1.0") { raw in
            if let database = try raw.openDatabase(named: SampleStore.rooms, create: false) { try raw.drop(database) }
        },
        PlantedDamage("a missing database of records", "missing @ database records.3") { raw in
            if let database = try raw.openDatabase(named: "records.3", create: false) { try raw.drop(database) }
        },
        PlantedDamage("a missing fixed database", "missing @ database consumers") { raw in
            let name = StoreDatabases.consumersName
            if let database = try raw.openDatabase(named: name, create: false) { try raw.drop(database) }
        },
        PlantedDamage("an unknown database", "unknown @ database mine") { raw in try raw.put("mine", [1], [2]) },
        PlantedDamage("records of an unknown type", "unknown @ database records.9") { raw in
            try raw.put("records.9", [1], [2])
        },
        PlantedDamage("an unknown index of a known type", "unknown @ database index.1.9") { raw in
            try raw.put("index.1.9", [1], [2])
        },
        PlantedDamage("a value among the databases", "unknown @ database plain") { raw in
            let key = Array("plain".utf8)
            unsafe try raw.put(LMDBDatabase(handle: 1), key: key.span.bytes, value: key.span.bytes)
        },
    ]
}
