import Foundation
import ModelStore
import StoreEngine
import StoreRuntime

/// One version of the program. It reads commands from standard input, and answers each with one or more lines.
///
/// - `fill N`: inserts the items 0 to N-1.
/// - `count ID C`: sets an item's count, or inserts the item.
/// - `name ID TEXT`: sets an item's name, whatever the field is called in this version.
/// - `mark ID KEY TEXT`, `unmark ID KEY`: sets the text of one of an item's marks, or removes the mark.
/// - `delete ID`: deletes an item.
/// - `level ID L`, `weigh ID W`, `parent ID P`: sets an item's level, the weights of its marks, or its parent (version 2 only).
/// - `find TEXT`: the ids of the items with a name.
/// - `tell ID`: `<name> <marks, each with its weight or -> <parent or ->`.
/// - `show ID`: `item <count> <level or -> `.
/// - `query L`: the number of items with a level, and whether a search for a rare level uses an index (not in version 1).
/// - `verify`: `sound`, or the findings.
/// - `hold`: prints `holding`, and blocks all other writers until the next line.
struct Program<I: Item> {
    let directory: String

    func run() -> Int32 {
        var options = StoreOptions.given
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
            case "name": try update(numbers[0], store) { $0.text = words[2] }
            case "mark": try update(numbers[0], store) { $0.setMark(words[2], words[3]) }
            case "unmark": try update(numbers[0], store) { $0.setMark(words[2], nil) }
            case "delete": _ = try store.write { try $0.delete(I.self, id: numbers[0]) }
            case "weigh":
                let (id, weight) = (numbers[0], numbers[1])
                _ = try store.write { tx in
                    try tx.update(Version2.Item.self, id: id) { item in
                        for key in item.marks.keys { item.marks[key]?.weight = weight }
                    }
                }
            case "parent":
                let (id, parent) = (numbers[0], numbers[1])
                _ = try store.write { tx in
                    try tx.update(Version2.Item.self, id: id) { $0.parent = Reference(parent) }
                }
            case "find": return try find(words[1], store)
            case "tell": return try tell(numbers[0], store)
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

    private func update(_ id: Int, _ store: Store, _ change: @escaping @Sendable (inout I) -> Void) throws {
        _ = try store.write { try $0.update(I.self, id: id) { change(&$0) } }
    }

    /// Searches by the name that the field has in this version.
    private func find(_ text: String, _ store: Store) throws -> String {
        let ids = try store.read { tx in
            if I.self == Version1.Item.self {
                return try tx.fetch(Version1.Item.where { $0.name == text }).map(\.id)
            }
            return try tx.fetch(Version2.Item.where { $0.label == text }).map(\.id)
        }
        return ids.map(String.init).joined(separator: " ")
    }

    private func tell(_ id: Int, _ store: Store) throws -> String {
        try store.read { tx in
            guard let item = try tx.get(I.self, id: id) else { return "none" }
            let marks = item.markTexts.sorted { $0.key < $1.key }.map { key, mark in
                "\(key):\(mark.text):\(mark.weight.map(String.init) ?? "-")"
            }
            let parent = (item as? Version2.Item)?.parent.map { String($0.id) }
            return "\(item.text) \(marks.joined(separator: ",")) \(parent ?? "-")"
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

/// Returns the findings for a store; `sound` if there are none.
func findings(in store: Store) throws -> String {
    let findings = Findings()
    try store.verify { findings.add("\($0)") }
    return findings.all.isEmpty ? "sound" : findings.all.joined(separator: "; ")
}

/// The findings of `verify`.
private final class Findings {
    private(set) var all: [String] = []

    func add(_ finding: String) { all.append(finding) }
}

/// Prints one line, at once.
func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line.replacing("\n", with: " ") + "\n").utf8))
}
