import Foundation

/// `check`: reads lines with the directory of a store from standard input. For each, it opens the store, checks all of it, writes
/// to it and closes it. After a tab the line may name a file with a sequence number and a hash in each line: change sets that
/// must be in the feed.
///
/// Answers each line with one line about the store as it was found:
/// - `ok <epoch> <sequence> <hash> <lane>=<count>…` for a sound store
/// - `refused <reason>` if the store could not be opened
/// - `bad <finding>; <finding>…` otherwise
struct Checking {
    private let reports = Reports()

    func run() -> Int32 {
        while let path = readLine() {
            reports.say(answer(path).replacing("\n", with: " "))
        }
        return 0
    }

    private func answer(_ line: String) -> String {
        let words = line.split(separator: "\t").map(String.init)
        let examination: StoreExamination
        do {
            examination = try StoreExamination(at: words[0])
        } catch {
            return "refused \(error)"
        }
        do {
            defer { examination.close() }
            let expected = words.count > 1 ? try changeSets(listedIn: words[1]) : [:]
            let found = try examination.look(expecting: expected)
            try examination.write()
            let afterwards = try examination.look(expecting: expected)
            let findings = found.findings + afterwards.findings.map { "after a write: \($0)" }
            return findings.isEmpty ? "ok \(found.summary)" : "bad \(findings.joined(separator: "; "))"
        } catch {
            return "bad \(error)"
        }
    }

    private func changeSets(listedIn path: String) throws -> [UInt64: UInt64] {
        var hashes: [UInt64: UInt64] = [:]
        for line in try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n") {
            let words = line.split(separator: " ").compactMap { UInt64($0) }
            guard words.count == 2 else { throw WorkerError(description: "\(path) has the line \(line)") }
            hashes[words[0]] = words[1]
        }
        return hashes
    }
}
