import StoreEngine

/// The rows of a live result, as a reader of the `watch` output keeps them.
struct WatchedRows {
    private(set) var rows: [JSONValue] = []

    struct Mistake: Error, CustomStringConvertible {
        let description: String
    }

    /// Applies lines as the help of `watch` describes.
    init(_ lines: [JSONValue]) throws {
        var lines = lines[...]
        while let line = lines.first, line["kind"] == .string("snapshot") {
            guard try Self.index(line) == rows.count else {
                throw Mistake(description: "a row is missing before \(line)")
            }
            rows.append(line["row"] ?? .null)
            lines.removeFirst()
        }
        while let first = lines.first {
            let step = lines.prefix { $0["position"] == first["position"] }
            try apply(Array(step))
            lines = lines.dropFirst(step.count)
        }
    }

    private mutating func apply(_ step: [JSONValue]) throws {
        func changes(_ kind: String) -> [JSONValue] { step.filter { $0["kind"] == .string(kind) } }
        let (deletes, moves) = (changes("delete"), changes("move"))
        let (inserts, updates) = (changes("insert"), changes("update"))
        guard deletes.count + moves.count + inserts.count + updates.count == step.count else {
            throw Mistake(description: "a line is of no kind: \(step)")
        }
        var kept: [JSONValue?] = rows
        for line in deletes {
            let index = try Self.index(line)
            guard kept[index] == line["row"] else { throw Mistake(description: "\(line) is not of the row there") }
            kept[index] = nil
        }
        for line in moves { kept[try Self.index(line, "from")] = nil }
        rows = kept.compactMap(\.self)
        let arriving = try (inserts + moves).map { (try Self.index($0), $0["row"] ?? .null) }
        for (index, row) in arriving.sorted(by: { $0.0 < $1.0 }) { rows.insert(row, at: index) }
        for line in updates {
            guard line["changed"]?.array?.isEmpty == false else {
                throw Mistake(description: "\(line) changes nothing")
            }
            rows[try Self.index(line)] = line["row"] ?? .null
        }
    }

    private static func index(_ line: JSONValue, _ name: String = "index") throws -> Int {
        guard let index = line[name]?.number?.int64 else { throw Mistake(description: "\(line) has no \(name)") }
        return Int(index)
    }
}
