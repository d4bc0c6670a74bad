import Foundation
import StoreEngine

/// A record of one of the test's types.
enum AnyModel: Hashable, Sendable {
    case sensor(Sensor)
    case ticket(Ticket)
    case slot(Slot)

    /// The record types, in the order of their type numbers.
    enum Kind: Int, CaseIterable, Sendable {
        case sensor = 1
        case ticket, slot

        /// The field indexes of the id.
        var idFieldIndexes: [Int] { self == .slot ? [0, 1] : [0] }

        /// The field indexes of each index, and whether it is unique.
        var indexes: [(places: [Int], isUnique: Bool)] {
            switch self {
            case .sensor: [([1], false), ([2], true), ([5, 3], false)]
            case .ticket: [([1], true), ([2, 3], true), ([3], false)]
            case .slot: [([2], false), ([2, 3], true)]
            }
        }
    }

    var kind: Kind {
        switch self {
        case .sensor: .sensor
        case .ticket: .ticket
        case .slot: .slot
        }
    }

    /// The fields in declaration order.
    var cells: [Cell] {
        switch self {
        case .sensor(let it):
            [
                .text(it.id), .text(it.room), .text(it.serial), .double(it.celsius),
                .optional(it.note.map { .text($0) }), .text(it.floor.rawValue),
            ]
        case .ticket(let it):
            [
                .signed(Int64(it.id), 8), .optional(it.code.map { .text($0) }), .text(it.owner),
                .signed(Int64(it.rank), 4), .data(Array(it.payload)), .texts(it.tags),
                .double(it.opened.timeIntervalSinceReferenceDate), .uuid(it.token),
            ]
        case .slot(let it):
            [
                .text(it.room), .signed(Int64(it.hour), 2), .optional(it.guest.map { .text($0) }),
                .optional(it.minutes.map { .unsigned(UInt64($0), 1) }),
            ]
        }
    }

    /// The full key of the id.
    var idKey: [UInt8] {
        let cells = cells
        return kind.idFieldIndexes.flatMap { cells[$0].key }
    }

    /// Returns the same record with the id of another record of its kind.
    func withID(of other: AnyModel) -> AnyModel {
        switch (self, other) {
        case (.sensor(var mine), .sensor(let its)):
            mine.id = its.id
            return .sensor(mine)
        case (.ticket(var mine), .ticket(let its)):
            mine.id = its.id
            return .ticket(mine)
        case (.slot(var mine), .slot(let its)):
            mine.room = its.room
            mine.hour = its.hour
            return .slot(mine)
        default: return self
        }
    }
}

extension AnyModel: CustomStringConvertible {
    /// The record as Swift source, with long texts shortened.
    var description: String {
        func short(_ text: String) -> String {
            let quoted = String(reflecting: String(text.prefix(24)))
            return text.utf8.count > 24 ? "\(quoted)…\(text.utf8.count)" : quoted
        }
        func short(_ text: String?) -> String { text.map { short($0) } ?? "nil" }
        return switch self {
        case .sensor(let it):
            "Sensor(\(short(it.id)), room: \(short(it.room)), serial: \(short(it.serial)), celsius: \(it.celsius), "
                + "note: \(short(it.note)), floor: \(it.floor))"
        case .ticket(let it):
            "Ticket(\(it.id), code: \(short(it.code)), owner: \(short(it.owner)), rank: \(it.rank), "
                + "payload: \(it.payload.count), tags: \(it.tags.map { short($0) }))"
        case .slot(let it):
            "Slot(\(short(it.room)), \(it.hour), guest: \(short(it.guest)), "
                + "minutes: \(it.minutes.map { "\($0)" } ?? "nil"))"
        }
    }
}
