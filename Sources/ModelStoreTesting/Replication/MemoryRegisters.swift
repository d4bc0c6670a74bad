import ModelStoreReplication

/// The registers of a log in memory, with a clock of their own.
struct MemoryRegisters {
    private struct Kept {
        var register: LogRegister
        /// When the register ends; nil for never.
        var end: Duration?
    }

    private var kept: [String: Kept] = [:]
    private var now = Duration.zero
    private var lastVersion: UInt64 = 0

    func all(prefix: String) -> [LogRegister] {
        kept.values.map(\.register).filter { $0.key.hasPrefix(prefix) }.sorted {
            $0.key.utf8.lexicographicallyPrecedes($1.key.utf8)
        }
    }

    mutating func set(_ key: String, to value: [UInt8]?, from version: UInt64, lifetime: Duration?) -> RegisterOutcome {
        let found = kept[key]?.register
        guard found?.version ?? 0 == version else { return .conflict(found) }
        guard let value else {
            kept[key] = nil
            return .set(version: 0)
        }
        lastVersion += 1
        kept[key] = Kept(
            register: LogRegister(key: key, value: value, version: lastVersion), end: lifetime.map { now + $0 })
        return .set(version: lastVersion)
    }

    mutating func advance(by duration: Duration) {
        now += duration
        kept = kept.filter { $0.value.end.map { $0 > now } ?? true }
    }
}
