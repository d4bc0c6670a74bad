import Foundation
import StoreEngine
import StoreExpressions
import TestSupport
import Testing

/// The parser reads or refuses any text, and never ends the process.
@Suite("Hostile expressions") struct ExpressionHostilityTests {
    /// The factor by which a long run has more texts.
    private static let factor: UInt64 = TestLength.isLong ? 20 : 1

    /// Parses `text`, and checks the tree or the error.
    private func check(_ text: String) {
        do {
            let tree = try ExpressionSample.parse(text)
            #expect(throws: Never.self, "\(text.prefix(500))") { try ExpressionSample.parse(tree.text) }
        } catch {
            #expect(!error.reason.isEmpty)
            #expect((1...text.unicodeScalars.count + 1).contains(error.column), "\(text.prefix(500))")
            #expect(error.excerpt.count == (text.isEmpty ? 0 : 2))
            #expect(
                error.excerpt.allSatisfy { DisplayText.escaped($0) == $0 && $0.utf8.count < 2_000 },
                "\(text.prefix(500))")
        }
    }

    @Test(arguments: 0..<4) func `Random bytes`(part: UInt64) {
        var random = TestRandom(seed: part)
        for _ in 0..<1_000 * Self.factor {
            let bytes = (0..<Int.random(in: 0...80, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            check(String(decoding: bytes, as: UTF8.self))
        }
    }

    @Test(arguments: 0..<4) func `Random words of the language`(part: UInt64) {
        let words = [
            "id", "name", "tags", "address", ".", "city", "count", "(", ")", "[", "]", ",", "==", "!=", "<", "<=", "!",
            "&&",
            "||", "and", "or", "not", "in", "between", "contains", "[c]", "isEmpty", "5", "-", "1e9", "'x'", "\"",
            "null",
            "true", "nan", "-inf", "`", "\\", "\u{301}", "+", "*", "/", "%", "-5", "any", "all", "it", "celsius",
            "any (",
        ]
        var random = TestRandom(seed: part)
        for _ in 0..<1_500 * Self.factor {
            let count = Int.random(in: 0...14, using: &random)
            let text = (0..<count).map { _ in words[Int.random(in: words.indices, using: &random)] }
            check(text.joined(separator: Bool.random(using: &random) ? " " : ""))
        }
    }

    @Test(arguments: 0..<4) func `Expressions with some bytes changed`(part: UInt64) {
        var random = TestRandom(seed: part)
        for seed in part * 400 * Self.factor..<(part + 1) * 400 * Self.factor {
            var conditions = RandomConditions(seed: seed)
            var bytes = Array(conditions.condition(depth: 2).text.utf8)
            for _ in 0...random.below(3) { random.pick(Mutation.allCases).apply(to: &bytes, &random) }
            check(String(decoding: bytes, as: UTF8.self))
        }
    }

    @Test func `Nesting has a limit`() throws {
        func nested(_ open: String, _ count: Int, _ close: String) -> String {
            String(repeating: open, count: count) + "active" + String(repeating: close, count: count)
        }
        for (open, close) in [("(", ")"), ("!", ""), ("not ", ""), ("!(", ")")] {
            let most = ExpressionParser.maximumDepth
            #expect(throws: Never.self) { try ExpressionSample.parse(nested(open, most, close)) }
            for count in [most + 1, 30_000] {
                let error = try #require(throws: ExpressionError.self) {
                    try ExpressionSample.parse(nested(open, count, close))
                }
                #expect(error.reason == "parentheses and negations nest deeper than 200")
            }
        }
    }

    @Test func `Calculations have a limit of depth and of length`() throws {
        let most = ExpressionParser.maximumDepth
        for count in [most, most + 1, 20_000] {
            let nested = String(repeating: "(", count: count) + "id" + String(repeating: ")", count: count) + " > 5"
            let negated = String(repeating: "- ", count: count) + "id > 5"
            let chain = "id" + String(repeating: " + id", count: count) + " > 5"
            for text in [nested, negated, chain] {
                check(text)
                if count > most {
                    #expect(throws: ExpressionError.self) { try ExpressionSample.parse(text) }
                } else {
                    #expect(throws: Never.self) { try ExpressionSample.parse(text) }
                }
            }
        }
        check(String(repeating: "(", count: 60_000))
        check(String(repeating: "(id + ", count: 20_000) + "1")
    }

    @Test(.timeLimit(.minutes(1))) func `Numbers without spaces between them are read in linear time`() throws {
        let text = "id == " + String(repeating: "1-", count: 15_000) + "1"
        let error = try #require(throws: ExpressionError.self) { try ExpressionSample.parse(text) }
        #expect(error.reason == "a calculation has more than 200 signs in a row")
    }

    @Test func `Signs in a row and parentheses make no calculation deeper than the limit`() throws {
        func nested(_ levels: Int, signs: Int) -> String {
            let chain = String(repeating: "+1", count: signs) + ")"
            return String(repeating: "(", count: levels) + "id" + String(repeating: chain, count: levels) + ">5"
        }
        for (levels, signs) in [(200, 19), (3, 170), (199, 3)] {
            check(nested(levels, signs: signs))
            let error = try #require(throws: ExpressionError.self) {
                try ExpressionSample.parse(nested(levels, signs: signs))
            }
            #expect(error.reason == "a calculation nests more than 500 levels deep")
            #expect(error.column > levels)
        }
        let most = try ExpressionSample.parse(nested(3, signs: 166))
        check(most.text)
    }

    @Test func `Parentheses, negations and chains make no condition deeper than the limit`() throws {
        func nested(_ levels: Int) -> String {
            String(repeating: "active||active&&!(", count: levels) + "active" + String(repeating: ")", count: levels)
        }
        check(nested(200))
        let error = try #require(throws: ExpressionError.self) { try ExpressionSample.parse(nested(200)) }
        #expect(error.reason == "a condition nests more than 500 levels deep")
        let most = try ExpressionSample.parse(nested(166))
        #expect(most.depth == 499)
    }

    @Test func `Length has a limit`() throws {
        let long = String(repeating: "active || ", count: 13_000) + "active"
        guard case .or(let terms) = try ExpressionSample.parse(long) else {
            Issue.record("not a disjunction")
            return
        }
        #expect(terms.count == 13_001)
        let error = try #require(throws: ExpressionError.self) { try ExpressionSample.parse(long + long) }
        #expect(error.reason == "the text has 260012 bytes, but at most 131072 are allowed")
    }

    @Test func `Values without measure`() {
        let digits = String(repeating: "9", count: 10_000)
        for field in [
            "id", "big", "ratio", "celsius", "price", "name", "seen", "key", "link", "wait", "blob", "region",
        ] {
            for value in [
                digits, "-" + digits, "0." + digits, "1e" + digits, "1e-" + digits, "'\(digits)'", "'PT\(digits)S'",
                "'-PT170141183460469231731S'", "'\(digits)-01-01T00:00:00Z'", "'+999999999999-01-01T00:00:00Z'",
                "'2026-13-45T99:99:99Z'", "'\(String(repeating: "=", count: 99))'", "'http://\(digits)'", "'%zz'", "''",
            ] {
                check("\(field) == \(value)")
            }
        }
        check(digits)
        check(String(repeating: "a", count: 100_000) + " == 1")
        check("id in [" + String(repeating: "1,", count: 30_000) + "2]")
        check("address" + String(repeating: ".city", count: 20_000))
    }
}
