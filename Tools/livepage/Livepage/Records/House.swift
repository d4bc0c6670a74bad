import Logging
import ModelStore

/// The store behind the page: rooms, and the readings of their sensors.
struct House: Sendable {
    let store: Store

    /// The most bytes that the feed keeps. A client that was away for longer receives all rows again.
    private static let feedByteCount = 16 << 20

    /// Opens the store in a directory, and creates it if it is missing.
    ///
    /// - Parameters:
    ///   - isRelaxed: whether a power failure may lose the last commits.
    ///   - logger: receives the notices of the ownership registry.
    init(directory: String, isRelaxed: Bool, logger: Logger) throws {
        var options = StoreOptions()
        options.limits.retainedFeedByteCount = Self.feedByteCount
        if isRelaxed { options.durability = .relaxed }
        options.ownership.onNotice = { logger.warning("\($0)") }
        store = try Store(at: directory, records: Room.self, Reading.self, options: options)
    }

    /// Adds the rooms and sensors of the demonstration that the store does not have.
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

    /// Sets the temperature of a sensor.
    ///
    /// - Throws: ``StoreError`` with the code `recordNotFound` if there is no such sensor.
    func set(_ sensor: Reading.ID, celsius: Double) async throws {
        try await store.write { try $0.update(Reading.self, id: sensor) { $0.celsius = celsius } }
    }

    /// Sets the name of a room.
    ///
    /// - Throws: ``StoreError`` with the code `recordNotFound` if there is no such room.
    func rename(_ room: Room.ID, to name: String) async throws {
        try await store.write { try $0.update(Room.self, id: room) { $0.name = name } }
    }
}
