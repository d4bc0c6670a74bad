import Foundation
import StoreEngine
import StoreRuntime

/// `fill <directory> <greatest size> <lane> <length of a text> <rounds>`: in each round, inserts entries until the store is full,
/// then deletes half of its own, one by one.
///
/// Prints `round <number> <inserted> <deleted>` after each round and `done` at the end, or `error …` and exits with 1. An error
/// is also a size above the limit after a write, a round that inserts nothing, and any failure but a full store.
struct Filling {
    private struct Fault: Error, CustomStringConvertible {
        let description: String
    }

    let path: String
    let limit: Int
    let lane: String
    let textCount: Int
    let rounds: Int
    private let reports = Reports()

    init?(_ arguments: [String]) {
        guard arguments.count == 5, let limit = Int(arguments[1]), let textCount = Int(arguments[3]),
            let rounds = Int(arguments[4])
        else { return nil }
        path = arguments[0]
        self.limit = limit
        lane = arguments[2]
        self.textCount = textCount
        self.rounds = rounds
    }

    func run() async -> Int32 {
        do {
            var options = StoreOptions()
            options.maximumByteCount = limit
            options.durability = .relaxed
            let store = try await Store.open(at: path, records: [Entry.self], options: options)
            var (next, first) = (0, 0)
            for round in 0..<rounds {
                let inserted = try await fill(store, from: &next)
                guard inserted > 0 || round > 0 else { throw Fault(description: "nothing fits into a new store") }
                let end = first + (next - first) / 2
                for number in first..<end {
                    try await store.write { [self] tx in _ = try tx.delete(Entry.self, id: id(number)) }
                    try requireSize()
                }
                reports.say("round \(round) \(inserted) \(end - first)")
                first = end
            }
            store.close()
            try requireSize()
            reports.say("done")
            return 0
        } catch {
            reports.say("error \(error)")
            return 1
        }
    }

    /// Inserts entries until the store is full.
    ///
    /// - Returns: how many.
    private func fill(_ store: Store, from next: inout Int) async throws -> Int {
        let first = next
        while true {
            let number = next
            do {
                try await store.write { [self] tx in
                    try tx.insert(
                        Entry(
                            id: id(number), lane: lane, number: Int64(number), serial: id(number), bucket: nil,
                            text: String(repeating: "x", count: textCount)))
                }
            } catch let error as StoreError where error.code == .storeFull {
                try requireSize()
                return next - first
            }
            next += 1
            try requireSize()
        }
    }

    private func id(_ number: Int) -> String { "\(lane)-\(number)" }

    private func requireSize() throws {
        let byteCount = try StoreSize.byteCount(of: path)
        guard byteCount <= limit else { throw Fault(description: "\(byteCount) bytes, and the limit is \(limit)") }
    }
}

/// The size of a store.
enum StoreSize {
    /// Returns the lengths of all files in a directory together.
    static func byteCount(of path: String) throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: path).reduce(0) { sum, name in
            let attributes = try FileManager.default.attributesOfItem(atPath: path + "/" + name)
            return sum + (attributes[.size] as? Int ?? 0)
        }
    }
}
