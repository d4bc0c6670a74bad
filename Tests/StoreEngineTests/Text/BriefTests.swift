import TestSupport
import Testing

/// The messages of oracles.
@Suite struct BriefTests {
    @Test func `a message shortens long values, and keeps its own text and errors whole`() {
        let long = String(repeating: "x", count: 100_000)
        let text = String(repeating: "the seed ", count: 50)
        #expect(Brief("seed \(17): \([1, 2])").description == "seed 17: [1, 2]")
        let brief = Brief("\(whole: text)\(long)\(Mismatch("\(whole: text)"))").description
        #expect(brief.hasPrefix(text + "xxx") && brief.hasSuffix("xxx" + text))
        #expect(brief.contains("[…99700 characters…]") && brief.count < 2 * text.count + Brief.valueLength + 50)
    }

    @Test func `two long values are shown where they begin to differ`() throws {
        let found = Array(0..<10_000)
        var expected = found
        expected[5_000] = -1
        try requireSame(found, found, "")
        let error = #expect(throws: Mismatch.self) { try requireSame(found, expected, "seed 17") }
        let message = try #require(error?.description)
        #expect(message.hasPrefix("seed 17: found ") && message.count < 2 * Brief.valueLength + 200)
        #expect(message.contains("4999, 5000, 5001") && message.contains("4999, -1, 5001"))
    }

    @Test func `a long list shows its last elements`() {
        #expect(Brief.last(of: [1, 2]) == "1\n2")
        #expect(Brief.last(of: Array(1...50)).hasPrefix("[…40 before…]\n41\n"))
    }
}
