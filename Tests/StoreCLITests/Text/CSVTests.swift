import TestSupport
import Testing

@testable import StoreCommands

@Suite("CSV")
struct CSVTests {
    /// Returns the outcome of each record in turn, including errors, for input in chunks of `size` bytes.
    private func read(_ bytes: [UInt8], chunkSize size: Int = 1 << 16, limit: Int = 1 << 26) -> [String] {
        var position = 0
        var reader = CSVReader(maximumRecordBytes: limit) {
            defer { position = min(position + size, bytes.count) }
            return Array(bytes[position..<min(position + size, bytes.count)])
        }
        var outcomes: [String] = []
        while true {
            do {
                guard let record = try reader.next() else { return outcomes }
                let fields = record.fields.map { $0.isQuoted ? "<\($0.text)>" : $0.text }
                outcomes.append("\(record.line): " + fields.joined(separator: "|"))
            } catch {
                outcomes.append("\(error)")
            }
        }
    }

    static let files: [(String, [String])] = [
        ("", []), ("\n\r\n\n", []), ("a", ["1: a"]), ("a,b\n1,2\n", ["1: a|b", "2: 1|2"]),
        ("a,b\r\n1,2\r\n", ["1: a|b", "2: 1|2"]), ("a,b\n1,2", ["1: a|b", "2: 1|2"]),
        ("a,b\n1,2\r", ["1: a|b", "2: 1|2"]),
        ("\u{FEFF}a,b\n,\n", ["1: a|b", "2: |"]), ("a,b\n\n\n1,2\n\n", ["1: a|b", "4: 1|2"]),
        ("a\n\n\"\"\nx", ["1: a", "2: ", "3: <>", "4: x"]),
        (
            "\"a\",\"b \"\"c\"\"\"\n\"x,y\",\"l1\nl2\r\nl3\"\nz,1",
            ["1: <a>|<b \"c\">", "2: <x,y>|<l1\nl2\r\nl3>", "5: z|1"]
        ),
        (" a , b \n\"\",\n", ["1:  a | b ", "2: <>|"]), ("é,😀\nü,\"ß\"", ["1: é|😀", "2: ü|<ß>"]),
        ("\u{FEFF}\"a\"\n", ["1: <a>"]), ("a,\u{FEFF}b", ["1: a|\u{FEFF}b"]),
        (
            "a,b\n1\n1,2,3\n4,5",
            [
                "1: a|b", "line 2, column 1: expected 2 fields, found 1",
                "line 3, column 1: expected 2 fields, found 3", "4: 4|5",
            ]
        ),
        (
            "a,b\né1\"x,2\n3,4",
            ["1: a|b", "line 2, column 3: a quote within a field that does not begin with one", "3: 3|4"]
        ),
        (
            "a,b\n\"x\"y,2\n3,4",
            ["1: a|b", "line 2, column 4: expected a separator or the line's end after the closing quote", "3: 3|4"]
        ),
        ("a,b\n1,\"x\ny\n3,4\n", ["1: a|b", "line 2, column 3: this quote is never closed"]),
        ("a,\"", ["line 1, column 3: this quote is never closed"]),
        (
            "a,b\n1\r,2\n3,4",
            ["1: a|b", "line 2, column 2: a carriage return without a line feed outside quotes", "3: 3|4"]
        ),
        (
            "a,b\n\"1\n2\"x,2\n3,4",
            ["1: a|b", "line 3, column 3: expected a separator or the line's end after the closing quote", "4: 3|4"]
        ),
    ]

    @Test("records, their lines and mistakes come out the same for every chunk size", arguments: files.indices)
    func reads(index: Int) {
        let (text, outcomes) = Self.files[index]
        for size in [1, 2, 3, 5, 1_000] {
            #expect(read(Array(text.utf8), chunkSize: size) == outcomes, "chunks of \(size)")
        }
    }

    @Test("bytes that are not UTF-8 are named with their place")
    func invalidUTF8() {
        let bare = Array("a,b\né,x".utf8) + [0xFF] + Array("\n1,2".utf8)
        #expect(read(bare) == ["1: a|b", "line 2, column 4: these bytes are not UTF-8", "3: 1|2"])
        let quoted = Array("a,\"q\"\"\n\"\"é".utf8) + [0xC3] + Array("\"\n1,2".utf8)
        #expect(read(quoted) == ["line 2, column 4: these bytes are not UTF-8", "3: 1|2"])
    }

    @Test("a record past the limit ends the file", arguments: ["x", "\"\"", ",", "\n"])
    func recordLimit(piece: String) {
        let bytes = Array("a\n\"".utf8) + Array(String(repeating: piece, count: 5_000).utf8)
        let outcomes = read(bytes, chunkSize: 100, limit: 1_000)
        #expect(outcomes.first == "1: a")
        #expect(outcomes.last?.contains("larger than 1000 bytes") == true)
    }

    @Test("the source's own error comes through")
    func sourceError() {
        struct Broken: Error {}
        var reader = CSVReader { throw Broken() }
        #expect(throws: Broken.self) { try reader.next() }
    }

    @Test("the writer quotes what needs it and tells no value from an empty text")
    func writes() {
        var writer = CSVWriter()
        writer.append(["a", nil, "", "x,y", "say \"hi\"", "l1\nl2", "\r", " s", "\u{FEFF}"])
        #expect(
            String(decoding: writer.bytes, as: UTF8.self)
                == "a,,\"\",\"x,y\",\"say \"\"hi\"\"\",\"l1\nl2\",\"\r\",\" s\",\"\u{FEFF}\"\n")
        writer.removeAll()
        #expect(writer.bytes.isEmpty)
        var crlf = CSVWriter(separator: ";", lineEnding: .crlf)
        crlf.append(["a,b", "c;d"])
        #expect(String(decoding: crlf.bytes, as: UTF8.self) == "a,b;\"c;d\"\r\n")
    }

    @Test("random records read back as they were written", arguments: 0..<10)
    func roundTrip(seed: UInt64) throws {
        var random = TestRandom(seed: seed)
        let columns = Int.random(in: 1...5, using: &random)
        let pieces = ["a", "\"", ",", "\n", "\r", "\r\n", " ", "é", "😀", "\u{FEFF}", ";", "0"]
        var records: [[String?]] = [(0..<columns).map { "c\($0)" }]
        for _ in 0..<300 {
            records.append(
                (0..<columns).map { _ in
                    guard Int.random(in: 0..<6, using: &random) > 0 else { return nil }
                    return (0..<Int.random(in: 0..<6, using: &random)).map { _ in
                        pieces.randomElement(using: &random) ?? ""
                    }.joined()
                })
        }
        var writer = CSVWriter(lineEnding: seed % 2 == 0 ? .lf : .crlf)
        for record in records { writer.append(record) }
        let bytes = writer.bytes
        let chunkSize = Int.random(in: 1...50, using: &random)
        var position = 0
        var reader = CSVReader {
            defer { position = min(position + chunkSize, bytes.count) }
            return Array(bytes[position..<min(position + chunkSize, bytes.count)])
        }
        for record in records {
            let back = try #require(try reader.next())
            #expect(back.fields.map(\.value) == record, "seed \(seed)")
        }
        #expect(try reader.next() == nil)
    }

    @Test("random bytes give records or errors and always come to the end", arguments: 0..<10)
    func randomBytes(seed: UInt64) {
        var random = TestRandom(seed: seed ^ 0x5555)
        let pieces = Array("\"\",,\n\r ab".utf8) + [0xC3, 0xA9, 0xFF]
        for _ in 0..<300 {
            let bytes = (0..<Int.random(in: 0..<60, using: &random)).map { _ in
                pieces.randomElement(using: &random) ?? 0
            }
            let outcomes = read(bytes)
            #expect(outcomes.count <= bytes.count + 1)
            #expect(read(bytes, chunkSize: 1) == outcomes, "seed \(seed): \(bytes)")
        }
    }
}
