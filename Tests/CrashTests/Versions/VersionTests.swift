import ChildPrograms
import Foundation
import TestSupport
import Testing

/// Programs of several versions on one store, as processes.
@Suite(.timeLimit(.minutes(20))) struct VersionTests {
    private static func program(_ version: Int, _ directory: String) throws -> ChildProcess {
        try VersionWorker.start("\(version)", directory)
    }

    /// Starts a program and waits until it has the store open.
    static func opened(_ version: Int, _ directory: String) throws -> ChildProcess {
        let program = try program(version, directory)
        while let line = program.nextLine() {
            if line == "open" { return program }
            try #require(line.hasPrefix("built"), "\(line)")
        }
        throw NotOpened()
    }

    private struct NotOpened: Error {}

    @Test func `two versions write one store at once, and neither loses what the other wrote`() throws {
        var random = TestRandom(seed: TestRun.seed)
        let directory = try ScratchDirectory()
        let old = try Self.opened(1, directory.path("store"))
        #expect(old.ask("fill 500") == "done")
        // While the first version runs, the second adds fields and an index.
        let new = try Self.opened(2, directory.path("store"))
        var counts: [Int: Int] = [:]
        var levels: [Int: Int] = [:]
        for round in 0..<(TestLength.isLong ? 5_000 : 120) {
            let (id, other) = (Int.random(in: 0..<600, using: &random), Int.random(in: 0..<500, using: &random))
            old.send("count \(id) \(round)")
            new.send("level \(other) \(round % 50)")
            #expect(old.nextLine() == "done")
            #expect(new.nextLine() == "done")
            counts[id] = round
            levels[other] = round % 50
        }
        for id in 0..<600 {
            let isThere = id < 500 || counts[id] != nil
            let count = counts[id] ?? id % 100
            #expect(old.ask("show \(id)") == (isThere ? "item \(count) -" : "none"), "MODELSTORE_SEED=\(TestRun.seed)")
            #expect(
                new.ask("show \(id)") == (isThere ? "item \(count) \(levels[id] ?? 7)" : "none"),
                "MODELSTORE_SEED=\(TestRun.seed)")
        }
        let sevens = (0..<600).filter { ($0 < 500 || counts[$0] != nil) && (levels[$0] ?? 7) == 7 }.count
        #expect(new.ask("query 7") == "\(sevens) true")
        #expect(new.ask("verify") == "sound")
    }

    @Test func `an older version keeps what it does not know inside structs, under newer names and of references`()
        throws
    {
        var random = TestRandom(seed: TestRun.seed)
        let directory = try ScratchDirectory()
        let old = try Self.opened(1, directory.path("store"))
        let count = 12
        #expect(old.ask("fill \(count)") == "done")
        let new = try Self.opened(2, directory.path("store"))
        var items = (0..<count).reduce(into: [Int: TestItem]()) { $0[$1] = TestItem(name: "item \($1)") }
        for round in 0..<(TestLength.isLong ? 4_000 : 200) {
            guard let id = items.keys.sorted().randomElement(using: &random) else { break }
            let program = Bool.random(using: &random) ? old : new
            var item = items[id] ?? TestItem(name: "")
            switch Int.random(in: 0..<12, using: &random) {
            case 0, 1:
                item.name = "n\(Int.random(in: 0..<5, using: &random))"
                #expect(program.ask("name \(id) \(item.name)") == "done")
            case 2...5:
                let key = "k\(Int.random(in: 0..<4, using: &random))"
                item.marks[key, default: ("", 1)].text = "m\(round)"
                #expect(program.ask("mark \(id) \(key) m\(round)") == "done")
            case 6, 7:
                guard let key = item.marks.keys.sorted().randomElement(using: &random) else { continue }
                item.marks[key] = nil
                #expect(program.ask("unmark \(id) \(key)") == "done")
            case 8:
                for key in item.marks.keys { item.marks[key]?.weight = round }
                #expect(new.ask("weigh \(id) \(round)") == "done")
            case 9, 10:
                item.parent = items.keys.sorted().randomElement(using: &random)
                #expect(new.ask("parent \(id) \(item.parent ?? 0)") == "done")
            default:
                guard items.count > 4 else { continue }
                #expect(program.ask("delete \(id)") == "done")
                items[id] = nil
                for (other, item) in items where item.parent == id { items[other]?.parent = nil }
                continue
            }
            items[id] = item
        }
        for id in 0..<count {
            #expect(new.ask("tell \(id)") == items[id]?.text(isOld: false) ?? "none", "MODELSTORE_SEED=\(TestRun.seed)")
            #expect(old.ask("tell \(id)") == items[id]?.text(isOld: true) ?? "none", "MODELSTORE_SEED=\(TestRun.seed)")
        }
        for name in Set(items.values.map(\.name)) where !name.contains(" ") {
            let ids = items.filter { $0.value.name == name }.keys.sorted().map(String.init).joined(separator: " ")
            #expect(old.ask("find \(name)") == ids && new.ask("find \(name)") == ids, "MODELSTORE_SEED=\(TestRun.seed)")
        }
        #expect(old.ask("verify") == "sound")
    }

    @Test func `a version that the store has left behind is told so, running or starting, and changes nothing`() throws
    {
        let directory = try ScratchDirectory()
        let old = try Self.opened(1, directory.path("store"))
        #expect(old.ask("fill 100") == "done")
        let newest = try Self.opened(3, directory.path("store"))
        #expect(newest.ask("count 5 70000") == "done")
        for command in ["count 5 1", "show 5"] {
            let answer = try #require(old.ask(command))
            #expect(answer.hasPrefix("failed schemaMismatch"), "\(answer)")
            #expect(answer.contains("count is int64 in the store and int16 in the program"), "\(answer)")
            #expect(answer.contains("the store is newer than this program"), "\(answer)")
            #expect(answer.hasSuffix("; use the newer program"), "\(answer)")
        }
        for version in [1, 2] {
            let late = try Self.program(version, directory.path("store"))
            let answer = try #require(late.nextLine())
            #expect(answer.hasPrefix("refused schemaMismatch"), "\(answer)")
            // The store has never had version 2, so that program may be newer or older.
            let remedy =
                version == 1
                ? "use the newer program" : "open the store with a program that has a migration plan for it"
            #expect(answer.hasSuffix("; \(remedy)"), "\(answer)")
            #expect(try late.wait() == .exit(1))
        }
        #expect(newest.ask("show 5") == "item 70000 7")
        #expect(newest.ask("verify") == "sound")
    }

    @Test func `the building of indexes goes on where a killed process stopped`() throws {
        var random = TestRandom(seed: TestRun.seed)
        let directory = try ScratchDirectory()
        let count = TestLength.isLong ? 1_000_000 : 60_000
        let old = try Self.opened(1, directory.path("store"))
        #expect(old.ask("fill \(count)") == "done")
        var done: [String: Int] = [:]
        var kills = 0
        while true {
            let builder = try Self.program(3, directory.path("store"))
            let patience = Int.random(in: 1...4, using: &random)
            var isOpen = false
            for _ in 0..<patience {
                let line = try #require(builder.nextLine())
                let words = line.split(separator: " ").map(String.init)
                if words[0] == "open" {
                    isOpen = true
                    break
                }
                let number = try #require(Int(words[2]))
                // The opening does not build finished parts again.
                #expect(number > done[words[1]] ?? 0, "\(line); MODELSTORE_SEED=\(TestRun.seed)")
                done[words[1]] = number
            }
            if isOpen {
                #expect(builder.ask("query 7") == "\(count) true")
                #expect(builder.ask("verify") == "sound")
                break
            }
            builder.kill()
            try builder.wait()
            kills += 1
        }
        // A process may be killed between its last commit and the report of it.
        #expect(done.values.allSatisfy { $0 <= count } && done.count <= 4, "\(done)")
        #expect(kills > 0)
    }
}

/// The expected content of an item.
private struct TestItem {
    var name: String
    var marks: [String: (text: String, weight: Int)] = [:]
    var parent: Int?

    func text(isOld: Bool) -> String {
        let marks = marks.sorted { $0.key < $1.key }.map { key, mark in
            "\(key):\(mark.text):\(isOld ? "-" : String(mark.weight))"
        }
        return "\(name) \(marks.joined(separator: ",")) \(isOld ? "-" : parent.map(String.init) ?? "-")"
    }
}
