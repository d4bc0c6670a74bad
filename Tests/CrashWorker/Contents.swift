import Foundation
import LMDB
import StoreEngine
import StoreRuntime

/// `contents`: reads lines with the directory of a store from standard input. For each, it reads the whole store without its
/// Swift types, verifies it, writes to it, and reads it again.
///
/// Answers each line with one line about the store as it was found:
/// - `sound <hash of the records> <type>:<number of fields>:<number of records>…`
/// - `absent` if there is no data file
/// - `refused <code> <reason>` if it could not be opened
/// - `bad <finding>; <finding>…` otherwise
struct Contents {
    private let reports = Reports()
    /// The record type that the worker adds.
    private static let probe = "Probe"

    func run() -> Int32 {
        while let path = readLine() { reports.say(answer(path).replacing("\n", with: " ")) }
        return 0
    }

    private func answer(_ path: String) -> String {
        guard FileManager.default.fileExists(atPath: path + "/data.mdb") else { return "absent" }
        do {
            let found = try look(path)
            guard found.hasPrefix("sound ") else { return found }
            try write(path)
            let afterwards = try look(path)
            return afterwards == found ? found : "bad after a write: \(afterwards); before: \(found)"
        } catch let error as StoreError {
            return "refused \(error.code.description) \(error)"
        } catch {
            return "bad \(error)"
        }
    }

    private func look(_ path: String) throws -> String {
        var options = StoreOptions()
        options.isReadOnly = true
        let store = try Store(at: path, records: [], options: options)
        defer { store.close() }
        return try store.read { transaction in
            let reading = transaction._reading
            var findings: [String] = []
            _ = try StoreVerifier.verify(reading.snapshot) { findings.append("\($0)") }
            guard findings.isEmpty else { return "bad \(findings.joined(separator: "; "))" }
            var text = "sound \(try reading.contentHash())"
            for (index, type) in reading.catalog.types.enumerated() where type.name != Self.probe {
                text += " \(type.name):\(type.type.fields.count):\(try reading.count(typeIndex: index))"
            }
            return text
        }
    }

    private func write(_ path: String) throws {
        var options = StoreOptions()
        options.createsIfMissing = false
        let store = try Store(at: path, records: [], options: options)
        defer { store.close() }
        try store.write(addingTypes: [Obeying.schema(Self.probe)]) { _ in }
    }
}
