import Foundation

/// The log to which consumers append a line for each item: the generation in which the writer held the consumer, and the key of
/// the change.
struct FeedLog {
    /// The location of a change in the feed.
    struct Place: Comparable {
        let sequence: UInt64
        let index: Int

        /// Reads it from an idempotency key: store, epoch, sequence number, index, and further parts.
        init?(key: Substring) {
            let parts = key.split(separator: ".")
            guard parts.count >= 4, let sequence = UInt64(parts[2]), let index = Int(parts[3]) else { return nil }
            self.sequence = sequence
            self.index = index
        }

        static func < (first: Place, second: Place) -> Bool {
            (first.sequence, first.index) < (second.sequence, second.index)
        }
    }

    /// The maximum number of change sets whose outside effects a new holder may repeat.
    private static let unnotedLimit = 5

    /// The items of each lane, in the order of their first occurrence.
    private(set) var items: [String: [Int]] = [:]
    /// The number of lines.
    private(set) var lineCount = 0
    /// The violations in the log.
    private(set) var faults: [String] = []

    private var generation: UInt64 = 0
    /// The change in the last line of this generation.
    private var last: Place?
    /// The furthest change so far.
    private var newest: Place?
    /// The furthest change when this generation began.
    private var inherited: Place?
    /// The change sets that this generation repeats.
    private var repeated: Set<UInt64> = []
    private var keys: [String: String] = [:]

    /// Reads a log.
    init(_ path: String) throws {
        for line in try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count == 3, let generation = UInt64(words[0]), let place = Place(key: words[1]) else {
                faults.append("no line: \(line)")
                continue
            }
            add(generation, place, key: String(words[1]), id: String(words[2]))
        }
    }

    private mutating func add(_ generation: UInt64, _ place: Place, key: String, id: String) {
        lineCount += 1
        if generation < self.generation { faults.append("after generation \(self.generation): \(generation) \(key)") }
        if generation > self.generation {
            self.generation = generation
            last = nil
            inherited = newest
            repeated = []
        }
        if let last, place <= last { faults.append("after \(last) in generation \(generation): \(key)") }
        last = place
        if let inherited, place <= inherited { repeated.insert(place.sequence) }
        if repeated.count > Self.unnotedLimit { faults.append("\(repeated.count) change sets again: \(generation)") }
        if let known = keys.updateValue(key, forKey: id) {
            if known != key { faults.append("\(id) under \(known) and \(key)") }
            return
        }
        if let newest, place <= newest { faults.append("first seen after \(newest): \(key)") }
        newest = place
        let parts = id.split(separator: "-")
        items[String(parts[0]), default: []].append(Int(parts[1]) ?? 0)
    }
}
