import StoreEngine
import StoreExpressions
import Testing

/// The text of an expression parses to the same tree.
@Suite("Expressions as text") struct ExpressionRoundTripTests {
    @Test(arguments: 0..<8) func `Random trees read back equal`(part: UInt64) throws {
        for seed in part * 500..<(part + 1) * 500 {
            var random = RandomConditions(seed: seed)
            let tree = random.condition()
            let text = tree.text
            let parsed: ConditionNode
            do {
                parsed = try ExpressionSample.parse(text)
            } catch {
                Issue.record("seed \(seed): \(error.message)\n\(text)")
                continue
            }
            // The texts are compared: `==` finds NaN different from itself, -0.0 equal to 0.0, and two spellings of a string
            // equal.
            let hasNaN = text.contains("nan")
            #expect(parsed == tree || hasNaN, "seed \(seed): \(text)")
            #expect(parsed.text.utf8.elementsEqual(text.utf8), "seed \(seed): \(text)")
        }
    }

    @Test(arguments: [
        ("id==5", "id == 5"), ("5<id", "id > 5"), ("active", "active == true"), ("not active", "!(active == true)"),
        ("id >= 1 and id <= 9", "id between 1 and 9"), ("name =='it\\'s'", "name == \"it's\""),
        ("id not in [1,2]", "id not in [1, 2]"), ("`odd name` == 1", "`odd name` == 1"), ("`not`", "`not` == true"),
        ("address.`true`", "address.true == true"), ("name !=[dc] 'x'", "name not equals[cd] \"x\""),
        ("active && id == 5 || false", "active == true && id == 5 || false"), ("!isEmpty(tags)", "tags not isEmpty"),
        ("!!!tags contains 'x'", "!!tags not contains \"x\""),
        ("!(id >= 1 && id <= 9)", "id not between 1 and 9"),
        ("celsius > 1e3", "celsius > 1000.0"), ("id+1>5", "id + 1 > 5"), ("id-1>5", "id - 1 > 5"),
        ("5-id < -3", "5 - id < -3"), ("(id+1)*2 > 5 && active", "(id + 1) * 2 > 5 && active == true"),
        ("((id)) > 5", "id > 5"), ("id - (1 - other) > 5", "id - (1 - other) > 5"), ("-id > 5", "0 - id > 5"),
        ("(id - 1) - other > 5", "id - 1 - other > 5"), ("id * 1.5 > 5", "id * 1.5 > 5"),
        ("5 < id % 2", "5 < id % 2"), ("id + 1 between 2 and other", "id + 1 >= 2 && id + 1 <= other"),
        ("!(id + 1 > 5)", "!(id + 1 > 5)"), ("not (id + 1) * 2 > 5", "!((id + 1) * 2 > 5)"),
        ("ratio * 2 > 1e3", "ratio * 2 > 1000.0"), ("`odd name` / level == 2", "`odd name` / level == 2"),
        ("tags any (it startsWith 'x')", "tags any (it startsWith \"x\")"),
        ("not tags all (it == 'x' or it == 'y')", "tags not all (it == \"x\" || it == \"y\")"),
        ("marks any (it + 1 > 2)", "marks any (it + 1 > 2)"),
        ("seen > '2026-07-31T11:30:00+02:00'", "seen > \"2026-07-31T09:30:00Z\""),
    ]) func `Every condition has one spelling`(text: String, canonical: String) throws {
        #expect(try ExpressionSample.parse(text).text == canonical)
        #expect(try ExpressionSample.parse(canonical).text == canonical)
    }

    @Test(arguments: ["active && id == 5 || false", "tags not isEmpty", "name not isEmpty", "name !=[c] 'x'"])
    func `What nests as deep as may be reads back`(innermost: String) throws {
        for (open, close) in [("!", ""), ("!(", ")"), ("(id == 5 || ", " && active)"), ("(id == 5 && (", "))")] {
            let levels = ExpressionParser.maximumDepth / open.count { $0 == "(" || open == "!" }
            let text = String(repeating: open, count: levels) + innermost + String(repeating: close, count: levels)
            let tree = try ExpressionSample.parse(text)
            #expect(try ExpressionSample.parse(tree.text) == tree)
        }
    }

    @Test func `Terms of fewer than two become what they stand for`() throws {
        let leaf = ConditionNode.comparison(FieldName("id"), .equal, .int(5))
        #expect(ConditionNode.and([]).text == "true")
        #expect(ConditionNode.or([]).text == "false")
        #expect(ConditionNode.and([.or([leaf])]).text == "id == 5")
        #expect(ConditionNode.or([.and([.or([leaf, leaf])]), leaf]).text == "(id == 5 || id == 5) || id == 5")
        #expect(ConditionNode.and([.or([]), .and([leaf])]).text == "false && id == 5")
    }
}
