import Glibc
import StoreEngine
import TestSupport
import Testing

@testable import StoreCommands

@Suite("Tables")
struct TableWriterTests {
    static let widths: [(String, Int)] = [
        ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("日本", 4), ("한국", 4), ("\u{1112}\u{1161}\u{11AB}", 2), ("ｗ", 2),
        ("😀", 2), ("👩‍👩‍👧", 2), ("🇩🇪", 2), ("❤", 1), ("❤️", 2), ("a\u{200B}b", 2), ("★", 1),
        ("ﾊ", 1), ("ก็", 1), ("𠮷", 2), ("─", 1),
    ]

    @Test("width is what a terminal uses", arguments: widths.indices)
    func width(index: Int) {
        let (text, width) = Self.widths[index]
        #expect(DisplayText.width(of: text) == width)
    }

    @Test("what controls the terminal shows as an escape")
    func escapes() {
        #expect(DisplayText.escaped("plain é 日本 👩‍👩‍👧") == "plain é 日本 👩‍👩‍👧")
        #expect(DisplayText.escaped("a\tb\nc\r\n") == "a\\tb\\nc\\r\\n")
        #expect(DisplayText.escaped("\u{1B}[2J\u{7F}\u{9B}\u{0}") == "\\u{1B}[2J\\u{7F}\\u{9B}\\u{0}")
        #expect(DisplayText.escaped("\u{202E}txt") == "\\u{202E}txt")
    }

    @Test("characters without a form show as escapes, except within an emoji")
    func formatCharacters() {
        for (hidden, escape) in [
            ("\u{200B}", "200B"), ("\u{200C}", "200C"), ("\u{200D}", "200D"), ("\u{2060}", "2060"), ("\u{AD}", "AD"),
            ("\u{E0041}", "E0041"), ("\u{E0100}", "E0100"), ("\u{FE0F}", "FE0F"), ("\u{FE00}", "FE00"),
            ("\u{180E}", "180E"),
            ("\u{3164}", "3164"), ("\u{34F}", "34F"), ("\u{2028}", "2028"), ("\u{FFF9}", "FFF9"),
        ] {
            #expect(DisplayText.escaped("a\(hidden)b") == "a\\u{\(escape)}b")
        }
        // In JSON, a character beyond U+FFFF is a pair of surrogates.
        #expect(DisplayText.escapedLines("a\u{200B}\nb\u{E0041}") == "a\\u200b\nb\\udb40\\udc41")
        for emoji in ["👩‍👩‍👧", "❤️", "🏳️‍🌈", "1️⃣", "👍🏽"] { #expect(DisplayText.escaped(emoji) == emoji) }
        #expect(DisplayText.escaped("👩\u{200D}a") == "👩\\u{200D}a")
    }

    @Test("cutting keeps to the width and never splits a character")
    func cutting() {
        #expect(DisplayText.cut("abcdef", to: 6) == "abcdef")
        #expect(DisplayText.cut("abcdef", to: 5) == "abcd…")
        #expect(DisplayText.cut("abcdef", to: 1) == "…")
        #expect(DisplayText.cut("abcdef", to: 0) == "")
        #expect(DisplayText.cut("日本語", to: 6) == "日本語")
        #expect(DisplayText.cut("日本語", to: 5) == "日本…")
        #expect(DisplayText.cut("日本語", to: 4) == "日…")
        #expect(DisplayText.cut("e\u{301}e\u{301}e\u{301}", to: 2) == "e\u{301}…")
        #expect(DisplayText.cut("🇩🇪🇫🇷", to: 3) == "🇩🇪…")
    }

    @Test("random texts never exceed the width", arguments: 0..<4)
    func randomCuts(seed: UInt64) {
        var random = TestRandom(seed: seed)
        let pieces = ["a", "日", "e\u{301}", "👩‍👩‍👧", "\u{301}", "🇩🇪", "\u{200D}", " "]
        for _ in 0..<500 {
            let text = (0..<Int.random(in: 0..<12, using: &random)).map { _ in
                pieces.randomElement(using: &random) ?? ""
            }.joined()
            let limit = Int.random(in: 1..<16, using: &random)
            let cut = DisplayText.cut(text, to: limit)
            #expect(DisplayText.width(of: cut) <= limit)
            #expect((cut == text) == (DisplayText.width(of: text) <= limit))
        }
    }

    private func table(width: Int?) -> TableWriter {
        var table = TableWriter(
            columns: [.init(title: "name"), .init(title: "size", isNumeric: true), .init(title: "summary")],
            width: width)
        table.append(["bash", "7164", "GNU Bourne Again SHell"])
        table.append(["日本語", "12", "two\nlines"])
        table.append(["a-rather-long-name", "123456789", ""])
        return table
    }

    @Test("columns are aligned, numbers to the right")
    func aligned() {
        #expect(
            table(width: nil).text == """
                name                     size  summary
                ------------------  ---------  ----------------------
                bash                     7164  GNU Bourne Again SHell
                日本語                     12  two\\nlines
                a-rather-long-name  123456789\u{20}\u{20}

                """)
    }

    @Test("the widest texts are cut first, numbers stay whole")
    func narrow() {
        #expect(
            table(width: 36).lines == [
                "name               size  summary",
                "------------  ---------  -----------",
                "bash               7164  GNU Bourne…",
                "日本語               12  two\\nlines",
                "a-rather-lo…  123456789  ",
            ])
    }

    @Test("a column that wraps shows the whole value on further lines")
    func wrapping() {
        var table = TableWriter(
            columns: [.init(title: "field"), .init(title: "type", wraps: true), .init(title: "default")], width: 30)
        table.append(["status", "enum<string>(new, accepted, lost)", "new"])
        table.append(["id", "int64", ""])
        #expect(
            table.lines == [
                "field   type           default",
                "------  -------------  -------",
                "status  enum<string>(  new",
                "        new,           ",
                "        accepted,      ",
                "        lost)          ",
                "id      int64          ",
            ])
        #expect(DisplayText.wrapped("a bc def", to: 4) == ["a bc", "def"])
        #expect(DisplayText.wrapped("abcdef", to: 4) == ["abcd", "ef"])
        #expect(DisplayText.wrapped("日本語", to: 1) == ["日", "本", "語"])
        #expect(DisplayText.wrapped("", to: 4) == [""])
    }

    @Test("wrapped lines keep to the width, and lose nothing but spaces", arguments: 0..<4)
    func randomWraps(seed: UInt64) {
        var random = TestRandom(seed: seed)
        let pieces = ["a", "bcd", "日", "e\u{301}", "👩‍👩‍👧", " ", "(", ", "]
        for _ in 0..<500 {
            let text = (0..<Int.random(in: 0..<12, using: &random)).map { _ in
                pieces.randomElement(using: &random) ?? ""
            }.joined()
            let limit = Int.random(in: 2..<16, using: &random)
            let lines = DisplayText.wrapped(text, to: limit)
            #expect(lines.allSatisfy { DisplayText.width(of: $0) <= limit })
            #expect(lines.joined().filter { $0 != " " } == text.filter { $0 != " " })
        }
    }

    @Test("no line is wider than the terminal", arguments: 1..<70)
    func limit(width: Int) {
        for line in table(width: width).lines { #expect(DisplayText.width(of: line) <= width) }
    }

    @Test("a table may have no rows or no columns")
    func empty() {
        #expect(TableWriter(columns: [.init(title: "a"), .init(title: "b")], width: 80).text == "a  b\n-  -\n")
        #expect(TableWriter(columns: [], width: 80).text == "")
    }

    @Test("a pipe has no width and COLUMNS is asked only on a terminal")
    func terminalSize() throws {
        var descriptors: [CInt] = [0, 0]
        try #require(unsafe pipe(&descriptors) == 0)
        defer { descriptors.forEach { close($0) } }
        #expect(TerminalSize.columns(of: descriptors[1], environment: { _ in "100" }) == nil)
        #expect(!TerminalSize.isTerminal(descriptors[0]))
    }

    @Test("a terminal without a size uses COLUMNS, then 80; one with a size that")
    func pseudoTerminal() throws {
        var (main, terminal): (CInt, CInt) = (-1, -1)
        try #require(unsafe openpty(&main, &terminal, nil, nil, nil) == 0)
        defer {
            close(main)
            close(terminal)
        }
        #expect(TerminalSize.isTerminal(terminal))
        #expect(TerminalSize.columns(of: terminal, environment: { $0 == "COLUMNS" ? "100" : nil }) == 100)
        #expect(TerminalSize.columns(of: terminal, environment: { _ in "wide" }) == 80)
        #expect(TerminalSize.columns(of: terminal, environment: { _ in nil }) == 80)
        var size = winsize(ws_row: 24, ws_col: 132, ws_xpixel: 0, ws_ypixel: 0)
        try #require(unsafe ioctl(main, UInt(TIOCSWINSZ), &size) == 0)
        #expect(TerminalSize.columns(of: terminal, environment: { _ in "100" }) == 132)
    }

    @Test("a table in blocks has one head, and columns never become narrower")
    func blocks() {
        var table = TableWriter(columns: [.init(title: "n", isNumeric: true), .init(title: "text")], width: nil)
        table.append(["1", "abc"])
        #expect(table.takeBlock() == "n  text\n-  ----\n1  abc\n")
        #expect(table.takeBlock() == "")
        table.append(["100", "a"])
        table.append(["2", "longer"])
        #expect(table.takeBlock() == "100  a\n  2  longer\n")
        table.append(["3", "x"])
        #expect(table.takeBlock() == "  3  x\n")
        // Rows that need wider columns repeat the titles.
        table.append(["4", "much longer"])
        #expect(table.takeBlock(repeatsTitles: true) == "  n  text\n---  -----------\n  4  much longer\n")
        table.append(["5", "y"])
        #expect(table.takeBlock(repeatsTitles: true) == "  5  y\n")
    }

    @Test("a table that is drawn again keeps its columns where they are")
    func redrawing() {
        var table = TableWriter(columns: [.init(title: "a"), .init(title: "b", isNumeric: true)], width: nil)
        table.append(["wide", "1"])
        #expect(table.takeLines() == ["a     b", "----  -", "wide  1"])
        table.append(["x", "22"])
        #expect(table.takeLines() == ["a      b", "----  --", "x     22"])
        #expect(table.takeLines() == ["a      b", "----  --"])
    }
}
