import StoreEngine
import StoreRuntime

/// Writes random sensors and slots, few enough ids that most are met again.
struct LiveWriter {
    var generator: RequestGenerator

    init(seed: UInt64) { generator = RequestGenerator(random: TestRandom(seed: seed)) }

    /// What one operation does.
    private enum Operation: Sendable {
        case put(Sensor), deleteSensor(String), slot(Slot), deleteSlot(Slot.ID)
    }

    /// Some operations in one closure.
    mutating func write(_ store: Store, count: Int) throws {
        let operations = (0..<count).map { _ in operation() }
        _ = try store.write { tx in
            for operation in operations {
                switch operation {
                case .put(let sensor): try tx.upsert(sensor)
                case .deleteSensor(let id): _ = try tx.delete(Sensor.self, id: id)
                case .slot(let slot):
                    // Another slot may have the guest and the minutes already.
                    do { try tx.upsert(slot) } catch let error as StoreError where error.code == .uniqueViolation {}
                case .deleteSlot(let id): _ = try tx.delete(Slot.self, id: id)
                }
            }
        }
    }

    private mutating func operation() -> Operation {
        let number = generator.random.below(60)
        // Ids that are too long for a key: some differ in what a key keeps, some do not.
        let long = String(repeating: "y", count: 260)
        let ids = ["\(number)", "a\(number)", "\(long)\(number)", "\(number)\(long)", "\(long)"]
        let id = number % 5 == 4 ? ids[4] + String(number * 7 % 10) + long : ids[number % 5]
        let slot = Slot.ID(room: ["a", "a\u{0}", long, "\(number)\(long)"][number % 4], hour: Int16(number - 30))
        switch generator.random.below(10) {
        case 0, 1: return .deleteSensor(id)
        case 2: return .deleteSlot(slot)
        case 3...6:
            return .put(
                Sensor(
                    id: id, room: generator.pick(RequestGenerator.texts), serial: "\(number)",
                    celsius: generator.pick(RequestGenerator.doubles), note: generator.optionalText(),
                    floor: generator.pick(Floor.allCases)))
        default:
            return .slot(
                Slot(
                    room: slot.room, hour: slot.hour, guest: generator.optionalText(),
                    minutes: generator.chance(30) ? nil : UInt8(generator.random.below(200))))
        }
    }
}
