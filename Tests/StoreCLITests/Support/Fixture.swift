import Foundation
import Testing

/// A store that an earlier version of this library made.
///
/// The folder contains the files of the store, each packed with `gzip`, and `export.jsonl` and `schema.json`: the output of
/// `export` and `schema --output json` at that time. `data.mdb.gz` is the data file of a compacted copy. A store that was left
/// open, or that has a redo log, has `redo.log.gz` and `redo.checkpoint.gz` too, and its data file as it was.
struct Fixture: CustomTestStringConvertible {
    let name: String

    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Fixtures")

    static let all: [Fixture] = ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
        .map { Fixture(name: $0) }

    var testDescription: String { name }

    /// The format of the store; 0 if the name of the folder does not say it.
    var format: UInt32 {
        let parts = name.split(separator: "-")
        return parts.count > 1 && parts[0] == "format" ? UInt32(parts[1]) ?? 0 : 0
    }

    /// Returns the path of a file.
    func path(_ file: String) -> String { Self.folder.appending(path: name).appending(path: file).path }

    /// Returns the content of a file.
    func text(_ file: String) throws -> String { try String(contentsOfFile: path(file), encoding: .utf8) }

    /// Puts the files of the store into a directory, which it creates.
    func unpack(to directory: String) throws {
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let files = try FileManager.default.contentsOfDirectory(atPath: path("")).filter { $0.hasSuffix(".gz") }
        try #require(files.contains("data.mdb.gz"))
        for file in files { try unpack(path(file), to: directory + "/" + file.dropLast(3)) }
    }

    private func unpack(_ archive: String, to path: String) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/gzip")
        process.arguments = ["-d", "-c", archive]
        try Data().write(to: URL(filePath: path))
        process.standardOutput = try FileHandle(forWritingTo: URL(filePath: path))
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
    }
}
