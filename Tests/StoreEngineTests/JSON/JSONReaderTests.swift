import StoreEngine
import Testing

@Suite("JSON reader")
struct JSONReaderTests {
    static let accepted: [(String, JSONValue)] = [
        ("null", nil), ("true", true), ("false", false), (" \t\r\n1 \n", 1),
        ("0", 0), ("-0", .number(JSONNumber(text: "-0") ?? JSONNumber(0))), ("-1", -1),
        ("[]", []), ("[ ]", []), ("{}", [:]), ("{ }", [:]), ("[[],{},[{}]]", [[], [:], [[:]]]),
        ("[1 , 2\n,3]", [1, 2, 3]), (#"{"a":1,"b":[null],"":{}}"#, ["a": 1, "b": [nil], "": [:]]),
        (#""""#, ""), (#""plain""#, "plain"), (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"),
        (#""\u0041\u00e9\u20AC\u0000""#, "Aé€\u{0}"), (#""\uD83D\uDE00!""#, "😀!"),
        ("\"😀é\u{7F}\u{2028}\"", "😀é\u{7F}\u{2028}"),
        (#""\uFFFF\uDBFF\uDFFF""#, "\u{FFFF}\u{10FFFF}"), (#"{"e\u0301":1,"\u00e9":2}"#, ["e\u{301}": 1, "é": 2]),
    ]

    @Test("reads what RFC 8259 allows", arguments: accepted.indices)
    func accepts(index: Int) throws {
        let (text, value) = Self.accepted[index]
        #expect(try JSONReader.read(text) == value)
    }

    @Test(
        "keeps a number as it was written",
        arguments: [
            "0", "-0", "0.0", "1e5", "1E+5", "1e-5", "-1.50", "123456789012345678901234567890", "0.1e1", "1e400", "0e0",
            "-0.0", "9223372036854775807", "0.10000000000000000000000000000000000001",
        ])
    func keepsNumbers(text: String) throws {
        #expect(try JSONReader.read(text).number?.text == text)
        #expect(try JSONReader.read("[\(text)]")[0]?.number?.text == text)
    }

    static let rejected: [(String, Int, String)] = [
        ("", 0, "expected a value, found the end"), ("  ", 2, "expected a value"), ("nul", 0, "such as “null”"),
        ("nulL", 0, "“null”"), ("True", 0, "expected a value, found “T”"), ("1 2", 2, "expected the end"),
        ("nullx", 4, "expected the end"), ("[1]]", 3, "expected the end"), ("{}x", 2, "expected the end"),
        ("[", 1, "expected a value"), ("[1", 2, "expected “,” or “]”"), ("[1,", 3, "expected a value"),
        ("[1,]", 3, "expected a value"), ("[,1]", 1, "expected a value"), ("[1 2]", 3, "expected “,” or “]”"),
        ("[1}", 2, "expected “,” or “]”"), ("{", 1, "a key in quotes or “}”"), ("{1:2}", 1, "a key in quotes"),
        (#"{"a""#, 4, "expected “:”"), (#"{"a" 1}"#, 5, "expected “:”"), (#"{"a":}"#, 5, "expected a value"),
        (#"{"a":1,}"#, 7, "expected a key in quotes, found “}”"), (#"{"a":1 "b"}"#, 7, "expected “,” or “}”"),
        (#"{"a":1,"a":2}"#, 7, "“a” occurs twice"), (#"{"a":1,"\u0061":2}"#, 7, "twice"), (#"{a:1}"#, 1, "a key"),
        ("01", 0, "cannot have a leading zero"), ("-01", 1, "cannot have a leading zero"),
        ("-", 1, "expected a digit, found the end"),
        ("+1", 0, "expected a value"), (".5", 0, "expected a value"), ("1.", 2, "expected a digit"),
        ("1.e5", 2, "expected a digit"), ("1e", 2, "expected a digit"), ("1e+", 3, "expected a digit"),
        ("-a", 1, "expected a digit"), ("0x10", 1, "expected the end"), ("1_000", 1, "expected the end"),
        ("NaN", 0, "expected a value"), ("Infinity", 0, "expected a value"), ("-inf", 1, "expected a digit"),
        ("'a'", 0, "expected a value, found “'”"), (#"""#, 1, "closing quote"), (#""abc"#, 4, "closing quote"),
        (#""abc\"#, 5, "closing quote"), (#""abc\""#, 6, "closing quote"), ("\"a\nb\"", 2, "bare control character"),
        ("\"a\u{0}b\"", 2, "found the byte 0x0"), ("\"\\\u{9}\"", 2, "bare control"),
        (#""\x""#, 2, "after the backslash"),
        (#""\u12""#, 5, "four hexadecimal digits"), (#""\u12G4""#, 5, "four hexadecimal"), (#""\u""#, 3, "four hexa"),
        (#""\uD800""#, 1, "first half"), (#""\uD800\n""#, 1, "first half"), (#""\uD800\u0041""#, 1, "first half"),
        (#""\uDC00""#, 1, "second half"), (#""\uD800\uD800""#, 1, "first half"), (#""\uD83D\uDE0""#, 12, "four hexa"),
        ("// a\n1", 0, "expected a value"), ("\u{FEFF}1", 0, "found a byte order mark"),
        ("1\u{0}", 1, "found the byte 0x0"),
        ("\u{A0}1", 0, "expected a value"), ("é", 0, "found “é”"), ("[\u{C}]", 1, "found the byte 0xC"),
    ]

    @Test("refuses everything else and says where and why", arguments: rejected.indices)
    func rejects(index: Int) {
        let (text, offset, reason) = Self.rejected[index]
        let error = #expect(throws: JSONError.self) { try JSONReader.read(text) }
        #expect(error?.offset == offset, "\(String(reflecting: text)): \(String(describing: error))")
        #expect(error?.reason.contains(reason) == true, "\(String(reflecting: text)): \(String(describing: error))")
    }

    static let notUTF8: [([UInt8], Int)] = [
        ([0x80], 1), ([0xC3], 1), ([0x61, 0xC3, 0x28], 2), ([0xC0, 0x80], 1), ([0xE0, 0x80, 0x80], 1),
        ([0xED, 0xA0, 0x80], 1),
        ([0xF4, 0x90, 0x80, 0x80], 1), ([0xFF], 1), ([0xE2, 0x82], 1), ([0xE2, 0x82, 0x5C, 0x6E], 1),
        ([0x5C, 0x6E, 0xFE], 3),
    ]

    @Test("refuses strings that are not UTF-8", arguments: notUTF8.indices)
    func rejectsInvalidUTF8(index: Int) {
        let (bytes, offset) = Self.notUTF8[index]
        let error = #expect(throws: JSONError.self) { try JSONReader.read([0x22] + bytes + [0x22]) }
        #expect(error?.offset == offset)
        #expect(error?.reason.contains("UTF-8") == true)
        #expect(throws: JSONError.self) { try JSONReader.read(bytes) }
    }

    @Test("counts lines from the given one and columns in scalars")
    func position() {
        let error = #expect(throws: JSONError.self) {
            try JSONReader.read("{\n  \"é😀\": 1,\n  \"né\": x\n}", firstLine: 41)
        }
        #expect(error?.line == 43)
        #expect(error?.column == 9)
        #expect(error?.description == "line 43, column 9: expected a value, found “x”")
    }

    @Test("bounds the nesting")
    func nesting() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(throws: Never.self) { try JSONReader.read(nested(512)) }
        let error = #expect(throws: JSONError.self) { try JSONReader.read(nested(513)) }
        #expect(error?.offset == 512)
        #expect(error?.reason == "arrays and objects nest deeper than 512")
        #expect(throws: JSONError.self) { try JSONReader.read(String(repeating: "[", count: 1_000_000)) }
        #expect(throws: JSONError.self) { try JSONReader.read(String(repeating: #"{"a":"#, count: 100_000)) }
        #expect(throws: JSONError.self) { try JSONReader.read("[1]", maximumDepth: 0) }
        #expect(try JSONReader.read("1", maximumDepth: 0) == 1)
        // Depth counts only the arrays that are open, not those that are closed.
        let siblings = "[" + Array(repeating: "[[]]", count: 600).joined(separator: ",") + "]"
        #expect(try JSONReader.read(siblings, maximumDepth: 3).array?.count == 600)
    }

    @Test("finds a duplicate among few and many keys without taking quadratic time", .timeLimit(.minutes(20)))
    func duplicates() throws {
        for count in [2, 15, 16, 17, 18, 200_000] {
            let members = (0..<count).map { "\"key\($0)\":\($0)" }.joined(separator: ",")
            #expect(try JSONReader.read("{\(members)}").object?.count == count)
            let error = #expect(throws: JSONError.self) { try JSONReader.read("{\(members),\"key0\":1}") }
            #expect(error?.offset == members.utf8.count + 2)
        }
    }
}
