import StoreEngine

/// The actions of each write of a lane. They depend only on the lane's name and the write's number. The number of writes of a
/// lane in a store therefore determines all its records.
///
/// A lane keeps at most its last ``window`` entries. A write inserts one, sometimes changes one, and deletes the one that leaves
/// the window.
struct LaneScript {
    /// The maximum number of entries of a lane.
    static let window: Int64 = 24
    /// The maximum distance of a changed entry. It is less than the window, so the entry exists.
    private static let reach: Int64 = 10

    /// One action of a write.
    enum Action {
        case insert(Entry)
        case replace(Entry)
        case delete(String)
    }

    let lane: String

    /// Returns the actions of the write with this number, counted from 1.
    func actions(_ number: Int64) -> [Action] {
        var random = LaneRandom(lane: lane, number: number, purpose: 1)
        var actions: [Action] = [.insert(inserted(number))]
        if number > 1, random.next() % 3 == 0 {
            let back = 1 + Int64(random.next() % UInt64(min(Self.reach, number - 1)))
            actions.append(.replace(replaced(number - back, by: number)))
        }
        if number > Self.window { actions.append(.delete(id(number - Self.window))) }
        // A record that is inserted and deleted within the write, which must leave nothing behind.
        if random.next() % 5 == 0 {
            var passing = inserted(number)
            passing.id += "/passing"
            passing.serial += "/passing"
            passing.number = -number
            actions += [.insert(passing), .delete(passing.id)]
        }
        return actions
    }

    /// Returns the lane's entries after `count` writes.
    func entries(after count: Int64) -> [String: Entry] {
        var entries: [String: Entry] = [:]
        let first = max(1, count - 4 * Self.window)
        for number in stride(from: first, through: count, by: 1) {
            for action in actions(number) {
                switch action {
                case .insert(let entry), .replace(let entry): entries[entry.id] = entry
                case .delete(let id): entries[id] = nil
                }
            }
        }
        return entries.filter { $0.value.number > count - Self.window }
    }

    private func id(_ number: Int64) -> String { "\(lane)/\(number)" }

    private func inserted(_ number: Int64) -> Entry { entry(number, by: number) }

    private func replaced(_ number: Int64, by writer: Int64) -> Entry { entry(number, by: writer) }

    private func entry(_ number: Int64, by writer: Int64) -> Entry {
        var random = LaneRandom(lane: lane, number: writer, purpose: number == writer ? 2 : 3)
        let bucket = random.next() % 9
        // Most texts share a page with others; some take their own overflow pages.
        let length = random.next() % 16 == 0 ? 3_000 + random.next() % 12_000 : random.next() % 300
        let letters = (0..<8).map { _ in Character(Unicode.Scalar(UInt8(97 + random.next() % 26))) }
        let text = String(repeating: String(letters), count: Int(length) / 8)
        return Entry(
            id: id(number), lane: lane, number: number, serial: "\(number).\(writer)@\(lane)",
            bucket: bucket == 8 ? nil : Int32(bucket), text: text)
    }
}

/// SplitMix64, seeded by its purpose.
struct LaneRandom: RandomNumberGenerator {
    private var state: UInt64

    init(lane: String, number: Int64, purpose: UInt64) {
        var seed: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in lane.utf8 { seed = (seed ^ UInt64(byte)) &* 0x100_0000_01B3 }
        state = seed ^ UInt64(bitPattern: number) &* 0x9E37_79B9_7F4A_7C15 ^ purpose << 56
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
