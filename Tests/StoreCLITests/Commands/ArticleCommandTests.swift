import ArgumentParser
import Foundation
import Hostwatch
import Testing

@testable import StoreCommands

/// Parses the commands in the articles and READMEs, without running them.
@Suite("Commands of the articles") struct ArticleCommandTests {
    private static let root = (0..<4).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }

    private static let folder = "Sources/ModelStore/ModelStore.docc"

    private static let articles: [String] = {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: root.appending(path: folder).path)) ?? []
        return ["README.md", "CONTRIBUTING.md", "Tools/livepage/README.md"]
            + names.filter { $0.hasSuffix(".md") }.sorted().map { folder + "/" + $0 }
    }()

    /// The help texts of the commands, by their names.
    private static let helps: [String: String] = {
        var helps: [String: String] = [:]
        for command in StoreCLI.configuration.subcommands {
            var help = StoreCLI.helpMessage(for: command)
            for inner in command.configuration.subcommands { help += StoreCLI.helpMessage(for: inner) }
            helps[command._commandName] = help
        }
        return helps
    }()

    @Test(arguments: articles) func `every command and option of an article exists`(path: String) throws {
        let text = try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
        let found = ArticleCommands(text, names: Array(Self.helps.keys))
        for use in found.commands {
            if let fault = Self.fault(in: use) { Issue.record("\(path):\(use.line): \(fault)") }
        }
        // READMEs mention options of other tools too.
        for use in found.options where path.hasPrefix(Self.folder) {
            for option in Self.options(in: use.words) {
                let isKnown =
                    Self.helps.values.contains { Self.names(option, in: $0) }
                    || Self.names(option, in: HostwatchCommand.helpMessage())
                #expect(isKnown, "\(path):\(use.line): no command of store-cli, and not hostwatch, has \(option)")
            }
        }
    }

    @Test func `commands are found in sentences and blocks, and their faults too`() {
        let text = """
            Use `store-cli query Sensor --were 1`, `store-cli qery Sensor`, `store-cli`, `store-cli stat`, `--dry-run`, and
            `feed --event`. Or `store-cli set … --iff 3`.

            ```
            $ store-cli --store /tmp/a query Sensor --where \\
                'celsius > 30' | head -n 3    # the first
            it doesn't matter
            store-cli insert Sensor '{"id": 1,
              "celsius": 3}' > log
            store-cli get Sensor
            store-cli feed --since TOKEN
            ```
            """
        let found = ArticleCommands(text, names: Array(Self.helps.keys))
        #expect(found.options.map(\.words) == [["--dry-run"]])
        #expect(found.commands.map(\.line) == [1, 1, 1, 1, 2, 2, 5, 8, 10, 11])
        let areWrong = found.commands.map { Self.fault(in: $0) != nil }
        #expect(areWrong == [true, true, false, false, true, true, false, false, true, false])
        #expect(found.commands[7].words == ["insert", "Sensor", "{\"id\": 1,\n  \"celsius\": 3}"])
    }

    /// Returns what is wrong with a command; nil if nothing is.
    private static func fault(in use: ArticleCommands.Use) -> String? {
        let words = GlobalArguments.moved(use.words)
        // A sentence may mention the tool by its name alone.
        guard let name = words.first, !name.hasPrefix("--") else { return nil }
        guard let help = helps[name] else { return "there is no command \(name)" }
        do {
            _ = try StoreCLI.parseAsRoot(words)
            return nil
        } catch let error where use.isWhole && StoreCLI.exitCode(for: error) != .success {
            return StoreCLI.fullMessage(for: error)
        } catch {
            // A sentence may leave arguments out.
            return options(in: words).first { !names($0, in: help) }.map { "\(name) has no \($0)" }
        }
    }

    private static func options(in words: [String]) -> [String] {
        words.filter { $0.hasPrefix("--") && $0.count > 2 }.map { String($0.prefix { $0 != "=" }) }
    }

    private static func names(_ option: String, in help: String) -> Bool {
        help.split { !$0.isLetter && $0 != "-" }.contains { $0 == option }
    }
}
