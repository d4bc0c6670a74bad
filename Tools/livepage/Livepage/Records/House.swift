import Logging
import ModelStore

/// The store that the page shows: rooms, and what the sensors in them say.
struct House: Sendable {
    let store: Store

    /// What the feed keeps at most; who was away for longer gets all rows anew.
    private static let feedByteCount = 16 << 20

    /// Opens the store in a directory, creating it when missing.
    ///
    /// - Parameters:
    ///   - isRelaxed: whether the last commits may be lost at a power failure.
    ///   - logger: takes what the ownership registry finds.
    init(directory: String, isRelaxed: Bool, logger: Logger) throws {
        var options = StoreOptions()
        options.limits.retainedFeedByteCount = Self.feedByteCount
        if isRelaxed { options.durability = .relaxed }
        options.ownership.onNotice = { logger.warning("\($0)") }
        store = try Store(at: directory, records: Room.self, Reading.self, options: options)
    }

    /// Adds those of the rooms and sensors of a demonstration that are not there.
    func addDemo() async throws {
        try await store.write { transaction in
            for (number, room) in Self.demo.enumerated() {
                if try transaction.get(Room.self, id: room.id) == nil { try transaction.insert(room) }
                for place in 1...3 {
                    let sensor = "\(room.id)-\(place)"
                    guard try transaction.get(Reading.self, id: sensor) == nil else { continue }
                    let celsius = 17 + Double(number) + Double(place) / 2
                    try transaction.insert(Reading(sensor: sensor, room: room.id, celsius: celsius))
                }
            }
        }
    }

    private static let demo = [
        Room(id: "attic", name: "Attic"), Room(id: "cellar", name: "Cellar"), Room(id: "hall", name: "Hall"),
        Room(id: "kitchen", name: "Kitchen"),
    ]

    /// Sets what a sensor says.
    ///
    /// - Throws: ``StoreError`` with the code `recordNotFound` when there is no such sensor.
    func set(_ sensor: Reading.ID, celsius: Double) async throws {
        try await store.write { try $0.update(Reading.self, id: sensor) { $0.celsius = celsius } }
    }

    /// Sets what a room is called.
    ///
    /// - Throws: ``StoreError`` with the code `recordNotFound` when there is no such room.
    func rename(_ room: Room.ID, to name: String) async throws {
        try await store.write { try $0.update(Room.self, id: room) { $0.name = name } }
    }
}
