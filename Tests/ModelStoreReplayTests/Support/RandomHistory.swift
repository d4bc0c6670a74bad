import Foundation
import ModelStore
import StoreEngine
import StoreRuntime

/// Performs random operations on a store, which the seed repeats.
struct RandomHistory {
    private var random: TransactionRandom
    private let store: Store
    private let rooms = ["attic", "cellar", "kitchen", "hall"]

    init(seed: UInt64, _ store: Store) {
        random = TransactionRandom(seed: seed)
        self.store = store
    }

    private mutating func draw(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

    /// Runs one write with several operations, or an action. Leaves out operations that break a rule.
    mutating func write() async throws {
        switch draw(10) {
        case 0: try await store.send(AddTicket(text: "t\(draw(100))"))
        case 1:
            let action = MoveSensor(id: "s\(draw(12))", room: draw(3) == 0 ? nil : rooms[draw(rooms.count)])
            _ = try? await store.send(action)
        default:
            let operations = (0...draw(4)).map { _ in operation() }
            try await store.write { tx in
                for operation in operations {
                    do {
                        try operation(&tx)
                    } catch let error as StoreError where Self.isRule(error) {
                    }
                }
                try Self.mendReferences(&tx)
            }
        }
    }

    private static func isRule(_ error: StoreError) -> Bool {
        [.recordExists, .recordNotFound, .uniqueViolation].contains(error.code)
    }

    /// Adds the missing rooms that sensors refer to.
    private static func mendReferences(_ tx: inout WriteTransaction) throws {
        for sensor in try tx.fetch(FetchRequest<Sensor>()) {
            guard let room = sensor.room?.id, try tx.get(Room.self, id: room) == nil else { continue }
            try tx.insert(Room(name: room, floor: 7))
        }
    }

    private mutating func operation() -> @Sendable (inout WriteTransaction) throws -> Void {
        let sensor = sensor()
        let (id, name, value) = (sensor.id, rooms[draw(rooms.count)], Double(draw(40)))
        switch draw(9) {
        case 0: return { tx in try tx.insert(Room(name: name, floor: Int(value))) }
        case 1: return { tx in _ = try tx.delete(Room.self, id: name) }
        case 2, 3: return { tx in try tx.insert(sensor) }
        case 4: return { tx in try tx.upsert(sensor) }
        case 5: return { tx in _ = try tx.delete(Sensor.self, id: id) }
        case 6:
            // Replaces a record by another with the same id in one write.
            return { tx in
                _ = try tx.delete(Sensor.self, id: id)
                try tx.insert(sensor)
            }
        case 7: return { tx in try tx.update(Sensor.self, id: id) { $0.note = value > 20 ? "n\(value)" : nil } }
        default: return { tx in try tx.update(Sensor.self, id: id) { $0.celsius = value } }
        }
    }

    private mutating func sensor() -> Sensor {
        Sensor(
            id: "s\(draw(12))", room: draw(2) == 0 ? nil : Reference(rooms[draw(rooms.count)]), serial: "\(draw(30))",
            celsius: [Double(draw(40)), .infinity, -0.0, .nan, 0.1][draw(5)], note: draw(2) == 0 ? nil : "é\n\u{1}\"",
            tags: (0..<draw(3)).map { "t\($0)" })
    }

    /// Returns a request for a subscriber.
    mutating func request() -> FetchRequest<Sensor> {
        let (low, room) = (Double(draw(30)), rooms[draw(rooms.count)])
        switch draw(6) {
        case 0: return Sensor.where { $0.celsius > low }.order { $0.celsius.descending }.limit(draw(4) + 1)
        case 1: return Sensor.where { $0.tags.contains("t1") && $0.note != nil }
        case 2: return Sensor.where { $0.room == Reference(room) }.order { $0.serial.ascending }
        case 3:
            return Sensor.where { $0.id.hasPrefix("s1") || $0.celsius < low }.order { $0.id.ascending }.limit(3).offset(
                1)
        case 4: return FetchRequest<Sensor>()
        default: return Sensor.where { !($0.celsius == low) }.limit(2)
        }
    }
}
