import Foundation
import Testing

/// Compares statements of the documents with the code: names, variables, events, metrics, limits and figures.
@Suite("Statements") struct StatementTests {
    /// The documents for contributors, and the articles for programs that use ModelStore.
    private static func documents() throws -> [Document] {
        try SourceTree.articles().filter { $0 != "CHANGELOG.md" }.map { try Document($0) }
    }

    /// The documents for contributors. Their paths are those of this project.
    private static func internalDocuments() throws -> [Document] {
        try documents().filter { !$0.path.contains(".docc/") }
    }

    // MARK: Names

    @Test func `Each test suite that a document names exists`() throws {
        let declaration = /(?:struct|class|enum) (\w+Tests)\b/
        let files = try SourceTree.files(below: "Tests") + SourceTree.files(below: "Tools")
        let lines = files.flatMap(\.lines).filter { $0.contains("Tests") }
        let suites = Set(lines.compactMap { line in line.firstMatch(of: declaration).map { String($0.output.1) } })
        let known = suites.union(SourceTree.folders(in: "Tests"))
        var count = 0
        for document in try Self.documents() {
            for (line, word) in document.codeWords where word.wholeMatch(of: /[A-Z]\w*Tests/) != nil {
                count += 1
                #expect(known.contains(word), "\(document.path):\(line)")
            }
        }
        #expect(count > 60)
    }

    /// Words of examples that are not in the code, and of other programs.
    private static let foreign: Set<String> = [
        "sudo", "exporter", "onlyHot", "litres", "pgpass", "d1d2", "Enqueue", "O_DIRECT", "perf", "raw_syscalls",
        "sys_enter",
        "sys_exit", "_other", "customMirror",
    ]

    /// Returns the words of a text with at least four letters, digits and underscores. Leaves out numbers.
    private static func words(_ text: String) -> [String] {
        text.utf8.split { byte in
            !(UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte)
                && byte != UInt8(ascii: "_")
        }.filter { $0.count > 3 && ($0.first ?? 0) > UInt8(ascii: "9") }.map { String(Substring($0)) }
    }

    @Test func `Each name in backticks is one of the code, of a file, or of the document's own examples`() throws {
        var known = Self.foreign
        for path in SourceTree.places() {
            known.formUnion(Self.words(path))
            if SourceTree.isCode(path) { known.formUnion(Self.words(try SourceTree.text(path))) }
        }
        for document in try Self.documents() {
            let own = Set(document.codeLines.flatMap(Self.words))
            for (line, code) in document.codeWords {
                for word in Self.words(code) where !known.contains(word) && !own.contains(word) {
                    // The adapters put this before the names of their metrics.
                    guard !word.hasPrefix("modelstore_") else { continue }
                    Issue.record(
                        "\(document.path):\(line): \(word) is not in the code; correct it, or add it to the foreign words"
                    )
                }
            }
        }
    }

    @Test func `Each file and folder that a document for contributors names exists`() throws {
        let places = SourceTree.places()
        var count = 0
        for document in try Self.internalDocuments() {
            for (line, word) in document.codeWords where !word.hasPrefix(".build") {
                // A command has arguments after the path of its program.
                let path = word.prefix { $0 != " " && $0 != "#" }
                guard let match = path.wholeMatch(of: /(?:[\w.+-]+\/)*[\w+-]+(?:\.(?:swift|c|md|txt))?\/?/),
                    path.contains("/") || path.hasSuffix(".swift") || path.hasSuffix(".c")
                else { continue }
                count += 1
                let name = match.output.hasSuffix("/") ? match.output.dropLast() : match.output
                #expect(places.contains { $0 == name || $0.hasSuffix("/\(name)") }, "\(document.path):\(line) \(word)")
            }
        }
        #expect(count > 150)
    }

    @Test func `Each error that a document says is thrown has a code of this name`() throws {
        let code = /static let (\w+) = (?:StoreError\.)?Code\("/
        let lines = try SourceTree.files(below: "Sources").flatMap(\.lines).filter { $0.contains("Code(\"") }
        let codes = Set(lines.compactMap { line in line.firstMatch(of: code).map { String($0.output.1) } })
        let statement = /(?:fails?|end|ends|throws?|error|refused) (?:with )?\(?`(\w+)`/
        var count = 0
        for document in try Self.documents() {
            for match in document.text.matches(of: statement) {
                count += 1
                #expect(codes.contains(String(match.output.1)), "\(document.path): \(match.output.0)")
            }
        }
        #expect(codes.count > 40 && count > 40)
    }

    // MARK: Tests and tools

    @Test func `The tables of test targets and helpers list each target once`() throws {
        let document = try Document("Tests/README.md")
        let targets = try Manifest(in: "").targets.filter { $0.folder.hasPrefix("Tests/") }
        let section = document.section("The targets")
        func names(_ header: String) -> [String] {
            section.table(header).rows.flatMap { Document.codeWords(in: $0[0]) }.sorted()
        }
        #expect(names("target") == targets.filter(\.isTest).map(\.name).sorted())
        // Two helpers are C, which the tests compile and preload.
        let libraries = ["FailingCalls", "SyncLog"]
        #expect(names("helper") == (targets.filter { !$0.isTest }.map(\.name) + libraries).sorted())
    }

    @Test func `Only the helpers that the documents name read the seed of a failed run`() throws {
        let readers = try Self.variables()["MODELSTORE_SEED"] ?? []
        #expect(
            readers == [
                "Tests/TestSupport/TestLength.swift", "Tools/livepage/Tests/Support/TestRun.swift", "Tools/cluster",
            ])
    }

    @Test func `The tests without a control are those of which Reliability says so`() throws {
        let section = try Document.article("Reliability").section("How it is tested")
        let suites = section.table("test").rows.flatMap { Document.codeWords(in: $0[0]) }.filter {
            $0.hasSuffix("Tests")
        }
        let faults = try FileManager.default.contentsOfDirectory(atPath: SourceTree.root.path + "/Tools/mutants/faults")
            .map { try SourceTree.text("Tools/mutants/faults/" + $0) }
        let named = Set(faults.flatMap { $0.split { !$0.isLetter && !$0.isNumber }.map(String.init) })
        let tests = try SourceTree.files(below: "Tests")
        // A planted fault names the suite, or a test of the suite finds a fault of its own.
        let controlled = suites.filter { suite in
            named.contains(suite)
                || tests.contains { file in
                    file.baseName == suite
                        && file.lines.contains { $0.contains("func `") && $0.contains("is found out`") }
                }
        }
        let sentence = try #require(section.text.firstMatch(of: /fail\. ((?:`\w+`,? (?:and )?)+)have none\./))
        #expect(Set(suites).subtracting(controlled) == Set(Document.codeWords(in: String(sentence.output.1))))
    }

    @Test func `The options of tools that a document for contributors shows exist`() throws {
        var count = 0
        for document in try Self.internalDocuments() {
            let commands = document.codeLines + document.codeWords.map(\.word)
            for command in commands {
                guard let match = command.firstMatch(of: /^(?:\w+=\S+ )*(Tools\/\S+)((?: +-\S+.*)?)$/) else { continue }
                // The description stands two or more spaces after the command.
                let words = match.output.2.components(separatedBy: "  ")[0].split(separator: " ")
                for option in words.filter({ $0.hasPrefix("--") }) {
                    count += 1
                    let text = try SourceTree.text(String(match.output.1))
                    #expect(text.contains(option), "\(document.path): \(command)")
                }
            }
        }
        #expect(count > 20)
    }

    // MARK: Environment variables

    /// The variables that code and scripts of the project read, with the files that do. Those of the system are left out.
    private static func variables() throws -> [String: Set<String>] {
        let system: Set<String> = ["PATH", "TMPDIR", "TERM", "COLUMNS", "LINES"]
        let marks = ["environment[\"", "getenv(\"", "ariable(\"", "${MODELSTORE_"]
        let reads = /(?:environment\[|getenv\(|[vV]ariable\()"([A-Z][A-Z0-9_]*)"|\$\{(MODELSTORE_\w+)/
        var found: [String: Set<String>] = [:]
        for path in SourceTree.places().filter(SourceTree.isCode) {
            for line in try SourceTree.text(path).split(separator: "\n") where marks.contains(where: line.contains) {
                for match in line.matches(of: reads) {
                    guard let name = (match.output.1 ?? match.output.2).map(String.init) else { continue }
                    if !system.contains(name) { found[name, default: []].insert(path) }
                }
            }
        }
        return found
    }

    @Test func `CONTRIBUTING.md lists each environment variable that the code reads, and where`() throws {
        let table = try Document("CONTRIBUTING.md").section("Environment variables").table("variable")
        let found = try Self.variables()
        let listed = table.rows.flatMap { Document.codeWords(in: $0[0]) }
        #expect(listed.sorted() == found.keys.sorted())
        for row in table.rows {
            for path in Document.codeWords(in: row[1]) where path.contains("/") {
                for name in Document.codeWords(in: row[0]) {
                    let readers = found[name] ?? []
                    #expect(
                        readers.contains { $0 == path || $0.hasPrefix(path + "/") }, "\(path) does not read \(name)")
                }
            }
        }
    }

    // MARK: Events and metrics

    @Test func `The table of logged events has each event, with its level and its metadata`() throws {
        let table = try Document.article("Services").section("What is logged").table("event")
        let logging = "Sources/ModelStoreService/Logging/"
        var events: [String: (level: String, keys: Set<String>)] = [:]
        for (file, own) in [("StoreOptions+Logging.swift", []), ("ConsumerOptions+Logging.swift", ["consumer"])] {
            let code = try SourceTree.text(logging + file)
            // Each case goes on until the next one.
            for part in code.components(separatedBy: "        case .").dropFirst() {
                let name = String(part.prefix { $0.isLetter })
                let level = part.firstMatch(of: /logger\.(\w+)\(/).map { String($0.output.1) } ?? ""
                let keys = part.matches(of: /"(\w+)": "/).map { String($0.output.1) }
                events[name] = (level, Set(keys + own))
            }
        }
        #expect(events.count > 15)
        let rows = table.rows.filter { $0[0] != "`OwnershipNotice`" }
        #expect(rows.flatMap { Document.codeWords(in: $0[0]) }.sorted() == events.keys.sorted())
        for row in rows {
            let event = try #require(events[Document.codeWords(in: row[0])[0]], "\(row)")
            #expect(Document.codeWords(in: row[2]) == [event.level], "\(row)")
            #expect(Set(Document.codeWords(in: row[3])) == event.keys, "\(row)")
        }
    }

    @Test func `StoreOptions lists the events that go to standard error`() throws {
        let notice = try SourceTree.text("Sources/StoreRuntime/Store/StandardErrorNotice.swift")
        let written = notice.matches(of: /case \.(\w+)\(/).map { String($0.output.1) }
        let options = try SourceTree.text("Sources/StoreRuntime/Store/StoreOptions.swift")
        let start = try #require(options.firstRange(of: "writes these events to standard error:"))
        let list = options[start.upperBound...].prefix { $0 != "?" }
        #expect(list.matches(of: /StoreEvent\/(\w+)\(/).map { String($0.output.1) } == written)
    }

    @Test func `The table of metrics has each metric once`() throws {
        let table = try Document.article("Services").section("What is measured").table("metric")
        let code = try SourceTree.files(below: "Sources/ModelStoreService/Metrics").flatMap(\.lines).joined(
            separator: "\n")
        let names = code.matches(of: /(?:counter|record)\("(\w+)"|label: "modelstore_(\w+)"/)
            .compactMap { ($0.output.1 ?? $0.output.2).map { "modelstore_\($0)" } }
        let listed = table.rows.flatMap { Document.codeWords(in: $0[0]) }
        #expect(listed.sorted() == names.sorted())
        #expect(names.count > 30)
    }

    // MARK: Versions

    @Test func `The history of the file format ends at its version, and the changelog has the releases`() throws {
        let rows = try Document.article("TheFileFormat").section("History").table("version").rows
        let format = try #require(
            try SourceTree.text("Sources/StoreEngine/State/StoreFormat.swift")
                .firstMatch(of: /static let version: UInt32 = (\d+)/))
        let newest = try #require(Int(format.output.1))
        #expect(rows.map { $0[0] } == (1...newest).map(String.init))
        let changelog = try Document("CHANGELOG.md").lines
        let releases = changelog.compactMap { $0.firstMatch(of: /^## \[(\d+\.\d+)/).map { String($0.output.1) } }
        for row in rows where !row[1].hasPrefix("before") && !releases.contains(row[1]) {
            // A version that is not released yet is one of the next release.
            let next = try #require(releases.first?.split(separator: ".").compactMap { Int($0) }, "\(releases)")
            #expect(row[1] == "\(next[0]).\(next[1] + 1)", "\(row)")
            #expect(try Document("CHANGELOG.md").section("[Unreleased]").text.contains("format \(row[0])"), "\(row)")
        }
    }

    // MARK: Figures

    /// A statement of a document with a figure, and the code that the statement is about.
    struct Figure: Sendable, CustomTestStringConvertible {
        let document: String
        let statement: String
        let file: String
        let code: String

        var testDescription: String { "\(document): \(statement)" }
    }

    static let figures = [
        Figure(
            document: "Concurrency", statement: "It also looks every 1.5 seconds",
            file: "StoreRuntime/Feed/FeedNotifier.swift",
            code: "sweepMilliseconds: UInt32 = 1_500"),
        Figure(
            document: "TheFeed", statement: "checks every 1.5 seconds", file: "StoreRuntime/Feed/FeedNotifier.swift",
            code: "sweepMilliseconds: UInt32 = 1_500"),
        Figure(
            document: "Concurrency", statement: "After one second, the store reports which process it waits for",
            file: "StoreRuntime/Store/StoreOptions.swift", code: "writerBlockedAfter = Duration.seconds(1)"),
        Figure(
            document: "Concurrency", statement: "looks for such snapshots each half minute",
            file: "StoreRuntime/Store/StoreOptions.swift", code: "upkeepSeconds = 30.0"),
        Figure(
            document: "Concurrency", statement: "keeps more than 256 MiB from reuse",
            file: "StoreRuntime/Store/Upkeep/SnapshotLimits.swift", code: "byteCount: Int? = 256 << 20"),
        Figure(
            document: "TheFeed", statement: "RetryPolicy().attempts is 5",
            file: "StoreRuntime/Consumers/ConsumerOptions.swift", code: "attempts = 5"),
        Figure(
            document: "TutorialJobQueue", statement: "`ConsumerOptions.takeoverInterval`, which is 0.2 seconds",
            file: "StoreRuntime/Consumers/ConsumerOptions.swift", code: "takeoverInterval = Duration.milliseconds(200)"),
        Figure(
            document: "TheFileFormat", statement: "longer than 255 bytes is its first 239 bytes and the two hashes",
            file: "StoreEngine/Index/KeyLimit.swift", code: "recordKey = 255"),
        Figure(
            document: "TheFileFormat", statement: "first 240 bytes and the two hashes: 256 bytes in all",
            file: "StoreEngine/Index/KeyLimit.swift", code: "indexValue = 256"),
        Figure(
            document: "TheFileFormat", statement: "would hold more than 512 records",
            file: "StoreEngine/Write/Statistics/SampleState.swift", code: "maximumCount = 512"),
        Figure(
            document: "TheFileFormat", statement: "at most 64 epochs",
            file: "StoreEngine/History/Trail/TrailHead.swift",
            code: "epochLimit = 64"),
        Figure(
            document: "TheFileFormat", statement: "A tree of up to 1,024 pages is checked as a whole",
            file: "LMDB/PageChecks/PageChecks.swift", code: "wholePages = 1_024"),
        Figure(
            document: "TheFileFormat", statement: "A commit with more than 1 MiB of operations",
            file: "LMDB/Redo/RedoLimits.swift", code: "entryByteCount = 1 << 20"),
        Figure(
            document: "TheFileFormat", statement: "when pins keep 16 MiB of freed pages, or an eighth of the file",
            file: "LMDB/Redo/RedoLimits.swift", code: "keptByteCount = 16 << 20"),
        Figure(
            document: "Concurrency", statement: "A write that needs a larger map waits 10 seconds",
            file: "StoreRuntime/Writer/BatchRunner.swift", code: "waitingAtMost: 10)"),
        Figure(
            document: "Fetching", statement: "Keys keep 239 bytes of an id and 240 of an indexed value",
            file: "StoreEngine/Index/KeyLimit.swift", code: "recordKey = 255"),
        Figure(
            document: "Fetching", statement: "take at most 64 MiB", file: "StoreEngine/Read/Run/FetchCursor.swift",
            code: "keyByteLimit: Int = 64 << 20"),
        Figure(
            document: "Fetching", statement: "There are at most 32 of them",
            file: "StoreEngine/Write/Statistics/RowEstimator.swift", code: "maximumDive = 32"),
        Figure(
            document: "ModelsAndLiveQueries", statement: "at least 8 and at most 64",
            file: "StoreEngine/Live/Window/LiveWindow.swift", code: "Swift.min(64, Swift.max(8, neededCount / 4))"),
        Figure(
            document: "Ownership", statement: "After a hundred passes in a row",
            file: "ModelStoreComponents/Host/Tree.swift", code: "passLimit = 100"),
        Figure(
            document: "RecordAndReplay", statement: "falls a million events behind",
            file: "ModelStoreReplay/Recording/RecorderLog.swift", code: "maximumCount = 1_000_000"),
        Figure(
            document: "RecordAndReplay", statement: "up to 1,000 change sets at a time",
            file: "ModelStoreReplay/Replaying/ReplayRun.swift", code: "commitLimit = (changeSets: 1_000"),
        Figure(
            document: "RecordAndReplay", statement: "has at most 256 MiB",
            file: "ModelStoreReplay/Trace/TraceWriter.swift", code: "maximumLineByteCount = 256 << 20"),
        Figure(
            document: "RecordAndReplay", statement: "at most 256 frames or about 64 KiB",
            file: "ModelStoreReplay/Trace/TraceWriter.swift", code: "chunk = (frames: 256, bytes: 64 << 10)"),
        Figure(
            document: "Relationships", statement: "matches at most 64 targets",
            file: "StoreEngine/Live/Match/RouteFinder.swift", code: "maximumKeys = 64"),
        Figure(
            document: "ServerSentEvents", statement: "heartbeats (15 seconds)",
            file: "ModelStoreEvents/EventOptions.swift", code: "heartbeat: Duration? = .seconds(15)"),
        Figure(
            document: "ServerSentEvents", statement: "reconnect (3 seconds)",
            file: "ModelStoreEvents/EventOptions.swift", code: "retryDelay = Duration.seconds(3)"),
        Figure(
            document: "ServerSentEvents", statement: "More than 10,000 records",
            file: "StoreRuntime/LiveQueries/LiveQuery+Past.swift", code: "pastLimit: Int { 10_000 }"),
        Figure(
            document: "SeveralMachines", statement: "repeats the append for 10 seconds",
            file: "ModelStoreReplication/Node/AppendAttempt.swift", code: "patience = Duration.seconds(10)"),
        Figure(
            document: "SeveralMachines", statement: "running for 20 seconds after its end",
            file: "ModelStoreReplication/Node/RunningProgram.swift", code: "lifetime = Duration.seconds(20)"),
        Figure(
            document: "SeveralMachines", statement: "An entry has at most 16 MiB", file: "ModelStoreEtcd/EtcdLog.swift",
            code: "maximumEntryByteCount = 16 << 20"),
        Figure(
            document: "TheFeed", statement: "at most 256;", file: "StoreRuntime/Consumers/NotingPace.swift",
            code: "changeSets: 256, reads: 64, delay: Duration.seconds(60)"),
        Figure(
            document: "TheFeed", statement: "at most a second in a replica",
            file: "StoreRuntime/Consumers/NotingPace.swift", code: "longest.delay = .seconds(1)"),
        Figure(
            document: "TheFeed", statement: "10,000 by default", file: "StoreEngine/State/StoreLimits.swift",
            code: "retainedChangeSets = 10_000"),
        Figure(
            document: "TheFeed", statement: "a million change sets, a week, and a gigabyte",
            file: "StoreEngine/History/Consumers/ConsumerState.swift",
            code: "changeSets: Int = 1_000_000, age: Duration = .seconds(7 * 86_400), byteCount: Int = 1 << 30"),
        Figure(
            document: "Testing", statement: "a minute to end", file: "ModelStoreTesting/LeakFreeTrait.swift",
            code: "patience = Duration.seconds(60)"),
        Figure(
            document: "Testing", statement: "waits 60 seconds for its element",
            file: "ModelStoreTesting/Probe/UpdateProbe.swift", code: "limit: Duration = .seconds(60)"),
        Figure(
            document: "TheFileFormat", statement: "up to 61,440 bytes of the stream",
            file: "StoreEngine/History/Feed/FeedEntryWriter.swift", code: "fragmentByteCount = 60 << 10"),
        Figure(
            document: "TheFileFormat", statement: "at most 100,000 records",
            file: "StoreEngine/Write/Statistics/SampleBuilder.swift", code: "maximumRecordsAtOpen = 100_000"),
        Figure(
            document: "TheFileFormat", statement: "The level begins at 4",
            file: "StoreEngine/Write/Statistics/SampleState.swift", code: "firstLevel = 4"),
    ]

    @Test(arguments: figures) func `A figure of an article is that of the code`(figure: Figure) throws {
        #expect(try Document.article(figure.document).text.contains(figure.statement))
        #expect(try SourceTree.text("Sources/" + figure.file).contains(figure.code))
    }
}
