import Foundation
import StoreCommands
import StoreEngine
import StoreExpressions
import TestSupport

/// Conditions and orders, as `query --where` and `--sort` read them.
struct ExpressionTarget: FuzzTarget {
    let inputs = Mutator(
        texts: [
            "id == 5 && name contains[cd] \"ä\" || !(level between 1 and 9)",
            "tags any (it startsWith 'x') and not marks all (it > 3)",
            "address.city in [\"Ulm\", 'Bonn'] and rank == 'high'",
            "count(tags) > 2 && celsius * 1.5 - ratio / 2 >= -1e3 % 7",
            "note == null || tags isEmpty or blob == 'AAEC'",
            "seen > '2026-07-31T11:30:00+02:00' && wait < 'PT5.5S' && key != '00000000-0000-4000-8000-000000000000'",
            "price not in [1.50, nan] && region equals[c] 'EU' && limits isEmpty && active",
            "-name,address.zip,id", "id,-level",
            // Refused, because the type has no references.
            "inverse(Thing.id) isEmpty || count(inverse(Thing.name) where id > 3) > 3",
        ],
        words: [
            "&&", "||", "and ", "or ", "not ", "!", "(", ")", "[", "]", ",", "==", "!=", "<=", ">", "in ", "between ",
            "contains", "[cd]", "startsWith", "isEmpty", "any (", "all (", "it", "count(", "inverse(", "where ", ".",
            "'",
            "\"", "`", "\\", "\\u{", "null", "true", "nan", "-inf", "9223372036854775808", "1e999", "-", "+", "%", "id",
            "address.zip", "tags", "\u{301}", "\u{0}", "\u{202E}",
        ])
    var validCount: Int { inputs.corpus.count - 1 }
    private let type: RecordType
    private let store: String

    /// - Parameter folder: where a small store is made, which runs the conditions.
    init(in folder: String) throws {
        type = try ThingType.type()
        store = folder + "/store"
        let (schema, rows) = (folder + "/schema.json", folder + "/rows.jsonl")
        try Data(SchemaTarget.documents[0].utf8).write(to: URL(filePath: schema))
        try Data(ThingType.lines.joined(separator: "\n").utf8).write(to: URL(filePath: rows))
        if !FileManager.default.fileExists(atPath: store) {
            for command in [["create", "--schema", schema], ["import", "Thing", rows]] {
                let status = StoreCommandLine.run(["--store", store] + command)
                guard status == .done else { throw Mismatch("\(command) ended with \(status)") }
            }
        }
    }

    func run(_ input: [UInt8], number: Int, _ random: inout TestRandom) throws -> Bool {
        let text = String(decoding: input, as: UTF8.self)
        if let order = try? FieldList.order(text, of: type, among: [type], named: "--sort") {
            let again = order.map { ($0.isDescending ? "-" : "") + $0.field.text }.joined(separator: ",")
            guard try FieldList.order(again, of: type, among: [type], named: "--sort") == order else {
                throw Mismatch("the order reads back differently: \(again)")
            }
            try query(["--sort", text], number)
            return true
        }
        guard let condition = try? ExpressionParser.condition(text, of: type, among: [type], named: "--where") else {
            return false
        }
        let again = try ExpressionParser.condition(condition.text, of: type, among: [type], named: "--where")
        guard again.text == condition.text else { throw Mismatch("\(condition.text) reads back as \(again.text)") }
        try query(["--where", text], number)
        return true
    }

    /// Runs a request that was parsed. It may fail, as for a calculation that overflows, but never for the store.
    private func query(_ arguments: [String], _ number: Int) throws {
        guard number.isMultiple(of: 4) else { return }
        let status = StoreCommandLine.run(["--store", store, "query", "Thing"] + arguments)
        guard [.done, .failed, .usage, .badData].contains(status) else {
            throw Mismatch("the query ended with \(status)")
        }
    }
}
