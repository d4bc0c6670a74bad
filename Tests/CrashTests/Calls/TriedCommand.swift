import Testing

/// A command of `store-cli` whose system calls fail in turn.
struct TriedCommand: Sendable, CustomTestStringConvertible {
    /// The words of the command. `{given}` stands for the folder of files that a test only reads, `{own}` for the folder of a
    /// run.
    let words: [String]
    /// Whether the output depends on more than the store: on process ids and times.
    var hasVaryingOutput = false
    /// The name of the command's store in the folder of a run; nil for a command without `--store`.
    var store: String? = "store"

    init(_ line: String, hasVaryingOutput: Bool = false, store: String? = "store") {
        words = line.split(separator: " ").map(String.init)
        self.hasVaryingOutput = hasVaryingOutput
        self.store = store
    }

    var name: String { words[0] }

    var testDescription: String { words.joined(separator: " ") }

    /// Returns the arguments of a run.
    func arguments(given: String, own: String) -> [String] {
        let words = words.map { $0.replacing("{given}", with: given).replacing("{own}", with: own) }
        return (store.map { ["--store", own + "/" + $0] } ?? []) + words
    }
}

extension TriedCommand {
    /// Each command in its usual form. `TriedCommandTests` checks that none is missing.
    static let all = [
        TriedCommand("create --schema {given}/schema.json", store: "made"),
        TriedCommand("types"), TriedCommand("schema --output json"),
        TriedCommand("import Reading {given}/new.jsonl"), TriedCommand("import Reading {given}/new.csv"),
        TriedCommand("import Fresh {given}/new.csv --id id"),
        TriedCommand("export"), TriedCommand("get Reading r1"),
        TriedCommand("query Reading --where room.floor==1 --sort -celsius --limit 2"),
        TriedCommand(#"insert Log {"text":"x"}"#), TriedCommand(#"upsert Room {"name":"hall","floor":7}"#),
        TriedCommand("set Reading r1 celsius=30"), TriedCommand("set Reading --where celsius>0 --yes celsius=0"),
        TriedCommand("delete Room attic"), TriedCommand("delete Reading --where celsius>0 --yes"),
        TriedCommand("watch Reading --updates 0"),
        TriedCommand("feed --output jsonl"), TriedCommand("feed --events --snapshot", hasVaryingOutput: true),
        TriedCommand("at 5 export"), TriedCommand("diff 4 newest"), TriedCommand("undo 6"),
        TriedCommand("revert --to 5"),
        TriedCommand("consumers"), TriedCommand("migrate --schema {given}/later.json"),
        TriedCommand("stat", hasVaryingOutput: true), TriedCommand("readers --clear-stale", hasVaryingOutput: true),
        TriedCommand("verify"), TriedCommand("redo-log off"), TriedCommand("upgrade"),
        TriedCommand("record {own}/made.trace"),
        TriedCommand("replay {given}/sample.trace --into {own}/made", store: nil),
        TriedCommand("backup {own}/made"), TriedCommand("compact {own}/made"), TriedCommand("restore {given}/copy"),
    ]
}
