import StoreEngine
import StoreRuntime
import TestSupport

/// Writes random sensors and slots, the first two types of the store. It uses so few ids that most of them recur.
struct LiveWriter {
    var generator: RequestGenerator

    init(seed: UInt64) { generator = RequestGenerator(random: TestRandom(seed: seed)) }

    /// Writes random operations in one closure.
    mutating func write(_ store: Store, count: Int) throws {
        let operations = operations(count)
        _ = try store.write { tx in for operation in operations { _ = try tx.apply(operation) } }
    }

    /// Returns random operations for one closure.
    mutating func operations(_ count: Int) -> [DynamicOperation] { (0..<count).map { _ in operation() } }

    private mutating func operation() -> DynamicOperation {
        let number = generator.random.below(60)
        // Some ids are too long for a key. They differ inside or beyond the part that a key keeps.
        let long = String(repeating: "y", count: 260)
        let ids = ["\(number)", "a\(number)", "\(long)\(number)", "\(number)\(long)", "\(long)"]
        let id = number % 5 == 4 ? ids[4] + String(number * 7 % 10) + long : ids[number % 5]
        let slot: [DynamicValue] = [
            .string(["a", "a\u{0}", long, "\(number)\(long)"][number % 4]), .int(Int64(number - 30)),
        ]
        switch generator.random.below(10) {
        case 0, 1: return .delete(type: 0, id: [.string(id)])
        case 2: return .delete(type: 1, id: slot)
        case 3...6:
            let values: [DynamicValue] = [
                .string(id), .string(generator.pick(RequestGenerator.texts)), .string("\(number)"),
                .double(generator.pick(RequestGenerator.doubles)), optionalText(),
                .string(generator.pick(Floor.allCases).rawValue),
            ]
            return .put(type: 0, DynamicRecord(values: values), .upsert)
        default:
            // Another slot may already have the same guest and minutes.
            let rest: [DynamicValue] = [
                optionalText(), generator.chance(30) ? .none : .uint(UInt64(generator.random.below(200))),
            ]
            return .put(type: 1, DynamicRecord(values: slot + rest), .upsert)
        }
    }

    private mutating func optionalText() -> DynamicValue { generator.optionalText().map { .string($0) } ?? .none }
}
