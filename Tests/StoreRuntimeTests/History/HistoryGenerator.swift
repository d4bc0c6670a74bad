import Foundation
import TestSupport

/// Makes histories from a seed. Values come from small pools, so ids and unique values collide often.
struct HistoryGenerator {
    private(set) var random: TestRandom

    private static let prefix = String(repeating: "shared prefix ", count: 20)
    private static let ids = [
        "", "a", "a\0", "a\0b", "\0", "é", "e\u{301}", "日本", "🙂", prefix + "1", prefix + "2", prefix,
        String(repeating: "x", count: 253), String(repeating: "x", count: 254), String(repeating: "\0", count: 127),
    ]
    private static let rooms = [
        "", "kitchen", "kitchen\0", prefix + "room", prefix + "hall", String(repeating: "y", count: 254),
        String(repeating: "y", count: 253),
    ]
    private static let serials = ["", "A", "B", "\0", prefix + "A", prefix + "B", prefix + "\0", "é", "e\u{301}"]
    private static let degrees = [
        0.0, -0.0, 21.5, -1, .infinity, -.infinity, .leastNonzeroMagnitude, -.leastNonzeroMagnitude,
    ]

    init(seed: UInt64) { random = TestRandom(seed: seed) }

    /// Returns the next event.
    mutating func event(_ oracle: Oracle) -> HistoryEvent {
        switch random.below(12) {
        case 0: .reopen
        case 1, 2: .write((0..<(2 + random.below(4))).map { _ in closure(oracle) })
        default: .write([closure(oracle)])
        }
    }

    private mutating func closure(_ oracle: Oracle) -> HistoryClosure {
        let steps = (0..<(1 + random.below(7))).map { _ in step(oracle) }
        return HistoryClosure(steps: steps, stop: random.oneIn(8) ? random.below(steps.count + 1) : nil)
    }

    private mutating func step(_ oracle: Oracle) -> HistoryStep {
        switch random.below(20) {
        case 0...5: .insert(model())
        case 6, 7: .upsert(model())
        case 8, 9: .update(related(oracle))
        case 10, 11: .change(related(oracle))
        case 12: .changeWhere(related(oracle), holds: random.oneIn(2))
        case 13: rekey(oracle)
        case 14: updateIfUnchanged(oracle)
        case 15: .deleteWhere(existing(oracle), holds: random.oneIn(2))
        case 16: .deleteIfUnchanged(existing(oracle))
        default: .delete(random.oneIn(3) ? model() : existing(oracle))
        }
    }

    private mutating func rekey(_ oracle: Oracle) -> HistoryStep {
        let original = existing(oracle)
        return .rekey(original, to: model(original.kind))
    }

    private mutating func updateIfUnchanged(_ oracle: Oracle) -> HistoryStep {
        let original = existing(oracle)
        let new = model(original.kind)
        return .updateIfUnchanged(random.oneIn(8) ? new : new.withID(of: original), original: original)
    }

    /// Returns a stored record, or sometimes any record.
    private mutating func existing(_ oracle: Oracle) -> AnyModel {
        if oracle.rows.isEmpty || random.oneIn(8) { return model() }
        // Sorted, because the order of a dictionary differs between runs and a seed must repeat.
        let sorted = oracle.rows.sorted { ($0.key.kind.rawValue, $0.key.text) < ($1.key.kind.rawValue, $1.key.text) }
        return random.pick(sorted).value.model
    }

    /// Returns new content for a stored record.
    private mutating func related(_ oracle: Oracle) -> AnyModel {
        let original = existing(oracle)
        return model(original.kind).withID(of: original)
    }

    private mutating func model() -> AnyModel { model(random.pick(AnyModel.Kind.allCases)) }

    private mutating func model(_ kind: AnyModel.Kind) -> AnyModel {
        switch kind {
        case .sensor:
            return .sensor(
                Sensor(
                    id: random.pick(Self.ids), room: random.pick(Self.rooms), serial: random.pick(Self.serials),
                    celsius: random.pick(Self.degrees), note: random.pick([nil, "", "note"]),
                    floor: random.pick(Floor.allCases)))
        case .ticket:
            var ticket = Ticket(
                id: random.pick([0, 0, 0, 1, 2, 3, 5, 9, -4]),
                code: random.pick([nil, nil, "", "c", Self.prefix + "c", Self.prefix + "d"]),
                owner: random.pick(["ann", "bob", Self.prefix]), rank: random.pick([0, 1, -1, .max, .min]),
                payload: Data(repeating: 7, count: random.oneIn(20) ? 70_000 : random.below(40)),
                tags: random.pick([[], ["a"], ["b", "", "a"], [Self.prefix]]))
            if random.oneIn(4) { ticket.opened = Date(timeIntervalSinceReferenceDate: 1) }
            if random.oneIn(4) { ticket.token = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)) }
            return .ticket(ticket)
        case .slot:
            return .slot(
                Slot(
                    room: random.pick(["blue", "blue\0", "", Self.prefix]), hour: random.pick([0, -1, 8, .max, .min]),
                    guest: random.pick([nil, "eve", "", Self.prefix]), minutes: random.pick([nil, 0, 30, 255])))
        }
    }
}
