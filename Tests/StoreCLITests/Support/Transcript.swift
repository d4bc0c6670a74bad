import Foundation
import Testing

/// The output of several commands, compared with a golden file.
///
/// `RECORD=1` writes the files again. The comparison masks everything that differs between runs: the folder, tokens and
/// identities, the current time, and sizes of files and maps.
struct Transcript {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Golden")

    private let tool: Tool
    private var text = ""

    init(_ tool: Tool) { self.tool = tool }

    /// Runs a command and adds its output.
    mutating func run(_ arguments: String..., input: String? = nil) throws { try run(arguments, input: input) }

    /// Runs a command and adds its output.
    mutating func run(_ arguments: [String], input: String? = nil) throws {
        note(try tool.run(arguments, input: input), of: arguments, hasInput: input != nil)
    }

    /// Adds the output of a command that ran next to others.
    mutating func note(_ run: Tool.Run, of arguments: [String], hasInput: Bool = false) {
        text += "$ store-cli " + arguments.map(Self.quoted).joined(separator: " ")
        text += hasInput ? " < input\n" : "\n"
        text += run.output
        if !run.output.isEmpty, !run.output.hasSuffix("\n") { text += "(no line end)\n" }
        for line in run.errors.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            text += "2> \(line)\n"
        }
        if run.status != 0 { text += "(exit \(run.status))\n" }
        text += "\n"
    }

    /// Compares the whole transcript with the golden file of this name.
    func expect(_ name: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let file = Self.folder.appending(path: name + ".txt")
        let masked = mask(text)
        if ProcessInfo.processInfo.environment["RECORD"] == "1" {
            try Data(masked.utf8).write(to: file)
            return
        }
        let golden = try String(contentsOf: file, encoding: .utf8)
        guard masked != golden else { return }
        let place = zip(golden.split(separator: "\n"), masked.split(separator: "\n")).first { $0 != $1 }
        Issue.record(
            """
            \(name).txt differs; RECORD=1 writes it anew
            expected: \(place?.0 ?? "an end")
            found:    \(place?.1 ?? "an end")
            \(masked)
            """, sourceLocation: sourceLocation)
    }

    private func mask(_ text: String) -> String {
        var text = text.replacingOccurrences(of: tool.folder, with: "FOLDER")
        let rules: [(String, String)] = [
            (#""id":"[0-9A-F]{8}-[0-9A-F-]{27}\.[0-9a-f]+\.(\d+\.[A-Z])"#, #""id":"NAME.$1"#),
            (#"[0-9A-F]{8}-[0-9A-F-]{27}\.[0-9a-f]+\.(\d+(\.\d+)?)\.t[0-9a-f]+"#, "NAME.$1"),
            (#"[0-9A-F]{8}-[0-9A-F-]{27}\.[0-9a-f]+\.(\d+)\.[0-9a-f]+"#, "TOKEN.$1"),
            (#"[0-9A-F]{8}-[0-9A-F-]{27}\.[0-9a-f]+\.(\d+)"#, "NAME.$1"),
            (#""store":"[0-9A-F-]{36}""#, #""store":"STORE""#),
            (#"this store is [0-9A-F-]{36}"#, "this store is STORE"),
            (#""epoch":"[0-9a-f]+""#, #""epoch":"EPOCH""#),
            (#""(ts_ms|process)":\d+"#, #""$1":NUMBER"#),
            (#"20(2[5-9]|[3-9]\d)-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z"#, "NOW"),
            (#"(?m)^(\d+,NOW,[a-z-]+,)\d+"#, "$1PID"),
            // A column of times, with its title and rule, is as wide as the longest fraction.
            (#"NOW {2,}"#, "NOW  "),
            (#"(position  time) +"#, "$1  "),
            (#"(?m)^(--------  |-+  --------  ---  ------  ---------  -------  )-{20,30}(?=$|  ---)"#, "$1RULE"),
            (#"(fileBytes|mapBytes|usedPages|freePages)("?:?\s*)\d+"#, "$1$2SIZE"),
            (#"(redoLogBytes|checkpointBehind|pinBehind|pinBytes)("?:?\s*)\d+"#, "$1$2SIZE"),
            (#", \d+ bytes"#, ", SIZE bytes"),
            // The rule below a column is as wide as a token, whose length varies.
            (#"-{65,80}"#, "RULE"),
            (#"process \d+ has"#, "process PID has"),
        ]
        for (pattern, replacement) in rules {
            text = text.replacingOccurrences(of: pattern, with: replacement, options: .regularExpression)
        }
        return text
    }

    private static func quoted(_ argument: String) -> String {
        let plain = argument.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
            case UInt8(ascii: "0")...UInt8(ascii: "9"): true
            default: "-_./=,:".utf8.contains(byte)
            }
        }
        return plain && !argument.isEmpty ? argument : "'" + argument.replacingOccurrences(of: "'", with: "'\\''") + "'"
    }
}
