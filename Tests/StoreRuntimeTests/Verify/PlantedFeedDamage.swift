import LMDB
import StoreEngine

extension PlantedDamage {
    /// Damage to the feed and its head.
    static let feed: [PlantedDamage] = [
        PlantedDamage("a flipped bit in a fragment", "checksum @ feed, change set 5, fragment 2") { raw in
            try raw.change(SampleStore.feed, KeyBytes.fragment(5, 2)) { $0[500] ^= 0x10 }
        },
        PlantedDamage("a flipped bit in a fragment's hash", "checksum @ feed, change set 5, fragment 1") { raw in
            try raw.change(SampleStore.feed, KeyBytes.fragment(5, 1)) { $0[3] ^= 0x10 }
        },
        PlantedDamage("a flipped bit in the newest change set", "checksum @ feed, change set 9, fragment 0") { raw in
            try raw.change(SampleStore.feed, KeyBytes.fragment(9)) { $0[20] ^= 0x10 }
        },
        PlantedDamage("a fragment cut short", "undecodable @ feed, change set 8, fragment 0") { raw in
            try raw.change(SampleStore.feed, KeyBytes.fragment(8)) { $0 = Array($0.prefix(7)) }
        },
        PlantedDamage("a fragment missing in the middle", "missing @ feed, change set 5, fragment 2") { raw in
            try raw.delete(SampleStore.feed, KeyBytes.fragment(5, 1))
        },
        PlantedDamage("the first fragment missing", "missing @ feed, change set 5, fragment 1") { raw in
            try raw.delete(SampleStore.feed, KeyBytes.fragment(5, 0))
        },
        PlantedDamage("the last fragment missing", "missing @ feed, change set 5, fragment 3") { raw in
            try raw.delete(SampleStore.feed, KeyBytes.fragment(5, 3))
        },
        PlantedDamage("a fragment after the last", "unknown @ feed, change set 8, fragment 1") { raw in
            try raw.put(SampleStore.feed, KeyBytes.fragment(8, 1), raw.value(SampleStore.feed, KeyBytes.fragment(8)))
        },
        PlantedDamage("a change set missing in the middle", "missing @ feed, change set 7") { raw in
            try raw.delete(SampleStore.feed, KeyBytes.fragment(7))
        },
        PlantedDamage("the oldest change set missing", "missing @ feed, change set 1") { raw in
            try raw.delete(SampleStore.feed, KeyBytes.fragment(1))
        },
        PlantedDamage("the newest change set missing", "contradiction @ metadata head") { raw in
            try raw.delete(SampleStore.feed, KeyBytes.fragment(9))
        },
        PlantedDamage("all change sets missing", "missing @ feed, change set 1") { raw in
            for entry in try raw.snapshot.entries(of: SampleStore.feed) { try raw.delete(SampleStore.feed, entry.key) }
        },
        PlantedDamage("a key of another length", "undecodable @ feed") { raw in
            try raw.put(SampleStore.feed, [1, 2, 3], [4])
        },
        PlantedDamage("a change set rewritten with a hash of its own", "brokenChain @ feed, change set 9") { raw in
            // The time is in bytes 2 to 9 of the stream.
            try raw.rewriteChangeSet(8) { $0[2] ^= 1 }
        },
        PlantedDamage(
            "a change set that continues another one", "brokenChain @ feed, change set 8",
            "brokenChain @ feed, change set 9"
        ) { raw in
            try raw.rewriteChangeSet(8) { $0[18] ^= 1 }
        },
        PlantedDamage("the newest change set rewritten", "contradiction @ metadata head") { raw in
            try raw.rewriteChangeSet(9) { $0[2] ^= 1 }
        },
        PlantedDamage("an epoch that had ended", "contradiction @ feed, change set 9", "contradiction @ metadata head")
        { raw in
            try raw.rewriteChangeSet(8) { $0[10] ^= 1 }
            let hash = try raw.value(SampleStore.feed, KeyBytes.fragment(8)).prefix(8)
            try raw.rewriteChangeSet(9) { $0.replaceSubrange(18..<26, with: hash) }
        },
        PlantedDamage(
            "a stream that does not decode", "undecodable @ feed, change set 9", "contradiction @ metadata head"
        ) { raw in
            try raw.rewriteChangeSet(9) { $0.append(0) }
        },
        PlantedDamage("an insertion with an earlier incarnation", "contradiction @ feed, change set 6, change 3") {
            raw in
            let long = Sensor(id: "long", room: "r", serial: SampleStore.longSerial, floor: .attic)
            let (right, wrong) = try (
                KeyBytes.record(long, incarnation: 6), KeyBytes.record(long, incarnation: 5)
            )
            try raw.put(SampleStore.sensors, key("long"), wrong)
            try raw.rewriteChangeSet(6) { $0.replace(right, with: wrong) }
            for sequence in 7...SampleStore.newest {
                let hash = try raw.value(SampleStore.feed, KeyBytes.fragment(sequence - 1)).prefix(8)
                try raw.rewriteChangeSet(sequence) { $0.replaceSubrange(18..<26, with: hash) }
            }
            let newest = try raw.value(SampleStore.feed, KeyBytes.fragment(SampleStore.newest)).prefix(8)
            try raw.changeHead { $0.hash = newest.reversed().reduce(0) { $0 << 8 | UInt64($1) } }
        },
        PlantedDamage("a head that is behind", "contradiction @ metadata head") { raw in
            try raw.changeHead { $0.sequence = 8 }
        },
        PlantedDamage("a head that is ahead", "contradiction @ metadata head") { raw in
            try raw.changeHead { $0.sequence = 10 }
        },
        PlantedDamage("a head with another hash", "contradiction @ metadata head") { raw in
            try raw.changeHead { $0.hash ^= 1 }
        },
        PlantedDamage("a head that cannot be read", "undecodable @ metadata head") { raw in
            try raw.put(SampleStore.metadata, MetadataKey.head, [1, 2, 3])
        },
    ]
}
