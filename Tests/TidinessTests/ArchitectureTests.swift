import Foundation
import Testing

/// Compares the layout that Sources/README.md describes with the manifests, the folders and the imports.
@Suite("Architecture") struct ArchitectureTests {
    private static func layout() throws -> Document { try Document("Sources/README.md") }

    /// The folders below `Sources`.
    private static func modules() -> [String] { SourceTree.folders(in: "Sources") }

    /// The targets of this package and of the packages in `Tools`.
    private static func targets() throws -> [Manifest.Target] {
        try ["", "Tools/livepage", "Tools/Benchmarks"].flatMap { try Manifest(in: $0).targets }
    }

    /// The name of a target in the diagram: a library's name, or the folder of a tool. Nil for the targets of tests.
    private static func node(_ target: Manifest.Target) -> String? {
        let parts = target.folder.split(separator: "/")
        return target.isTest || parts[0] == "Tests" ? nil : String(parts[1])
    }

    @Test func `The table of modules lists each module once`() throws {
        let table = try Self.layout().section("The layers").table("module")
        #expect(table.rows.flatMap { Document.codeWords(in: $0[0]) }.sorted() == Self.modules())
    }

    @Test func `The tables of folders list each folder of each module once`() throws {
        let section = try Self.layout().section("The folders")
        var listed: [String: [String]] = [:]
        for table in section.tables {
            // The header names the module, or each row does in its first folder.
            let module = Document.codeWords(in: table.header[0]).first
            for row in table.rows {
                let words = Document.codeWords(in: row[0]).map { $0.split(separator: "/").map(String.init) }
                let own = words[0].count == 2 ? words[0][0] : module
                listed[try #require(own, "\(row)"), default: []] += words.compactMap(\.last)
            }
        }
        let modules = Self.modules().filter { !SourceTree.folders(in: "Sources/\($0)").isEmpty }
        #expect(listed.keys.sorted() == modules)
        for (module, folders) in listed { #expect(folders.sorted() == SourceTree.folders(in: "Sources/\(module)")) }
        let sentence = section.lines.first { $0.hasSuffix("have no folders.") } ?? ""
        #expect(Set(Document.codeWords(in: sentence)) == Set(Self.modules()).subtracting(modules))
    }

    /// The modules to which the arrows of the diagram lead, directly and in all.
    private static func arrows() throws -> (direct: [String: Set<String>], all: [String: Set<String>]) {
        var direct: [String: Set<String>] = [:]
        for line in try layout().section("The layers").codeLines {
            let ends = line.split(separator: /─+>/).map { part in
                part.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
            }
            for (sources, users) in zip(ends, ends.dropFirst()) {
                for user in users { direct[user, default: []].formUnion(sources) }
            }
        }
        var all = direct
        while true {
            let next = all.mapValues { sources in sources.reduce(into: sources) { $0.formUnion(all[$1] ?? []) } }
            if next == all { return (direct, all) }
            all = next
        }
    }

    @Test func `An arrow leads to each module that uses another one, and to no other`() throws {
        let (direct, all) = try Self.arrows()
        let targets = try Self.targets()
        let names = Dictionary(targets.map { ($0.name, Self.node($0)) }) { first, _ in first }
        var used: [String: Set<String>] = [:]
        for target in targets {
            guard let node = Self.node(target) else { continue }
            used[node, default: []].formUnion(target.dependencies.compactMap { names[$0] ?? nil }.filter { $0 != node })
        }
        #expect(used.count > 20)
        for (user, sources) in used {
            #expect(sources.subtracting(all[user] ?? []) == [], "missing arrows to \(user)")
            #expect((direct[user] ?? []).subtracting(sources) == [], "wrong arrows to \(user)")
        }
        #expect(Set(direct.keys).subtracting(used.keys) == [])
        for (user, sources) in all { #expect(!sources.contains(user), "the arrows go round through \(user)") }
    }

    @Test(arguments: ["A fetch", "A write", "A command"])
    func `Each function that a hop names is in a file that the hop names`(call: String) throws {
        let places = SourceTree.places()
        let rows = try Self.layout().section(call).table("hop").rows
        #expect(rows.count > 4)
        for row in rows {
            let words = row.dropFirst().flatMap(Document.codeWords)
            let paths = places.filter { place in words.contains { $0.hasSuffix(".swift") && place.hasSuffix("/" + $0) }
            }
            let code = try paths.map(SourceTree.text).joined()
            for word in Document.codeWords(in: row[2]) where !word.hasSuffix(".swift") {
                let isThere = code.contains(word.hasPrefix(".") ? String(word.dropFirst()) : word)
                #expect(isThere, "\(word) in \(row)")
            }
        }
    }

    @Test func `A target declares each module of the package that it imports`() throws {
        let targets = try Self.targets()
        let modules = Set(targets.map(\.name))
        // The benchmarks import a module that is no product: it has an interface for measurements only.
        for target in targets where !target.folder.hasPrefix("Tools/Benchmarks") {
            for file in try target.files() {
                let imports = modules.intersection(file.imports).subtracting([target.name])
                #expect(imports.subtracting(target.dependencies) == [], "\(file.path)")
            }
        }
    }
}
