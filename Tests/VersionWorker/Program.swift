import Foundation
import ModelStore
import StoreEngine
import StoreRuntime

/// One version of the program: takes commands on standard input, answers each with a line or more.
///
/// - `fill N`: inserts the items 0 to N-1.
/// - `count ID C`: sets an item's count, or inserts it.
/// - `level ID L`: sets an item's level (not in version 1).
/// - `show ID`: `item <count> <level or -> `.
/// - `query L`: how many items have a level, and whether an index is used to look for a rare one (not in version 1).
/// - `verify`: `sound`, or the findings.
/// - `hold`: says `holding` and keeps all others from writing until the next line.
struct Program<I: Item> {
    let directory: String

    func run() -> Int32 {
        var options = StoreOptions()
        options.indexProgress = { progress in
            say("built \(progress.fields.joined(separator: ",")) \(progress.doneCount) \(progress.totalCount)")
        }
        do {
            let store = try Store(at: directory, records: I.self, options: options)
            say("open")
            while let line = readLine() { say(answer(line.split(separator: " ").map(String.init), store)) }
            store.close()
            return 0
        } catch {
            say("refused \(Self.text(error))")
            return 1
        }
    }

    private func answer(_ words: [String], _ store: Store) -> String {
        do {
            let numbers = words.dropFirst().compactMap { Int($0) }
            switch words.first {
            case "fill":
                let count = numbers[0]
                _ = try store.write { tx in for id in 0..<count { try tx.insert(I.make(id, count: id % 100)) } }
            case "count":
                let (id, count) = (numbers[0], numbers[1])
                _ = try store.write { tx in
                    guard var item = try tx.get(I.self, id: id) else {
                        _ = try tx.insert(I.make(id, count: count))
                        return
                    }
                    item.setCount(count)
                    try tx.update(item)
                }
            case "level":
                let (id, level) = (numbers[0], numbers[1])
                _ = try store.write { tx in
                    try tx.update(Version2.Item.self, id: id) { $0.level = level }
                }
            case "show": return try show(numbers[0], store)
            case "query": return try query(numbers[0], store)
            case "verify": return try findings(in: store)
            case "hold":
                _ = try store.write { _ in
                    say("holding")
                    _ = readLine()
                }
            default: return "unknown \(words)"
            }
            return "done"
        } catch {
            return "failed \(Self.text(error))"
        }
    }

    private func show(_ id: Int, _ store: Store) throws -> String {
        try store.read { tx in
            guard let item = try tx.get(I.self, id: id) else { return "none" }
            let level = (item as? Version2.Item)?.level ?? (item as? Version3.Item)?.level
            return "item \(item.countNumber) \(level.map(String.init) ?? "-")"
        }
    }

    private func query(_ level: Int, _ store: Store) throws -> String {
        try store.read { tx in
            if I.self == Version3.Item.self {
                let count = try tx.count(Version3.Item.where { $0.level == level })
                return try "\(count) \(tx.explain(Version3.Item.where { $0.level == -1 }).contains("index on level"))"
            }
            let count = try tx.count(Version2.Item.where { $0.level == level })
            return try "\(count) \(tx.explain(Version2.Item.where { $0.level == -1 }).contains("index on level"))"
        }
    }

    private static func text(_ error: any Error) -> String {
        (error as? StoreError).map { "\($0.code) \($0)" } ?? "\(error)"
    }
}

/// What is wrong with a store; `sound` where nothing is.
func findings(in store: Store) throws -> String {
    let findings = Findings()
    try store.verify { findings.add("\($0)") }
    return findings.all.isEmpty ? "sound" : findings.all.joined(separator: "; ")
}

/// What `verify` found.
private final class Findings {
    private(set) var all: [String] = []

    func add(_ finding: String) { all.append(finding) }
}

/// Says one line, at once.
func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line.replacing("\n", with: " ") + "\n").utf8))
}
