import Foundation
import StoreEngine
import StoreExpressions
import Testing

/// The meaning of expressions: which records they match.
@Suite("Expressions") struct ExpressionTests {
    private func name(_ text: String) -> FieldName { FieldName(text) }

    private func expect(
        _ table: [(String, ConditionNode)], sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        for (text, tree) in table {
            let parsed = try ExpressionSample.parse(text)
            #expect(parsed == tree, "\(text)", sourceLocation: sourceLocation)
        }
    }

    private let isFive = ConditionNode.comparison(FieldName("id"), .equal, .int(5))
    private let isActive = ConditionNode.comparison(FieldName("active"), .equal, .bool(true))
    private let isWarm = ConditionNode.comparison(FieldName("celsius"), .greater, .double(20))

    @Test func `Comparisons, with the value on either side`() throws {
        try expect([
            ("id == 5", isFive), ("5 == id", isFive), ("id==5", isFive), (" \t\nid\r== 5 ", isFive),
            ("id != 5", .comparison(name("id"), .notEqual, .int(5))),
            ("id < 5", .comparison(name("id"), .less, .int(5))), ("5 > id", .comparison(name("id"), .less, .int(5))),
            ("id <= -5", .comparison(name("id"), .lessOrEqual, .int(-5))), ("celsius > 20", isWarm),
            ("20<celsius", isWarm),
            ("5 <= id", .comparison(name("id"), .greaterOrEqual, .int(5))),
            ("5 >= id", .comparison(name("id"), .lessOrEqual, .int(5))),
            ("true == active", isActive), ("active != false", .comparison(name("active"), .notEqual, .bool(false))),
        ])
    }

    @Test func `Integers are exact to 64 bits`() throws {
        try expect([
            ("id == 9223372036854775807", .comparison(name("id"), .equal, .int(.max))),
            ("id == -9223372036854775808", .comparison(name("id"), .equal, .int(.min))),
            ("big == 18446744073709551615", .comparison(name("big"), .equal, .uint(.max))),
            ("big == 1e3", .comparison(name("big"), .equal, .uint(1000))),
            ("small == 5.0", .comparison(name("small"), .equal, .int(5))),
            ("level == -0", .comparison(name("level"), .equal, .uint(0))),
        ])
    }

    @Test func `Numbers with fractions, infinities and NaN`() throws {
        try expect([
            ("celsius == 0.1", .comparison(name("celsius"), .equal, .double(0.1))),
            ("celsius < inf", .comparison(name("celsius"), .less, .double(.infinity))),
            ("-inf < ratio", .comparison(name("ratio"), .greater, .float(-.infinity))),
            ("celsius > -1.5e-3", .comparison(name("celsius"), .greater, .double(-0.0015))),
            ("ratio == 0.1", .comparison(name("ratio"), .equal, .float(0.1))),
            ("price == 0.10", .comparison(name("price"), .equal, .decimal(Decimal(string: "0.1") ?? 0))),
            ("price == '12.5'", .comparison(name("price"), .equal, .decimal(12.5))),
            ("price != nan", .comparison(name("price"), .notEqual, .decimal(.nan))),
            (
                "price * 0.1 > count",
                .arithmetic(
                    .operation(
                        .field(name("price")), .multiply, .value(.decimal(Decimal(string: "0.1") ?? 0))),
                    .greater, .field(name("count")))
            ),
            (
                "price + celsius > 0.1",
                .arithmetic(
                    .operation(.field(name("price")), .add, .field(name("celsius"))), .greater,
                    .value(.double(0.1)))
            ),
        ])
        guard case .comparison(_, .equal, .double(let value)) = try ExpressionSample.parse("celsius == NaN") else {
            Issue.record("no comparison with a double")
            return
        }
        #expect(value.isNaN)
    }

    @Test func `Texts in both quotes, with escapes`() throws {
        func named(_ text: String) -> ConditionNode { .comparison(name("name"), .equal, .string(text)) }
        try expect([
            (#"name == "Köln""#, named("Köln")), ("name == 'it\"s'", named("it\"s")),
            (#"name == "it's""#, named("it's")),
            (#"name == "a\"b\\c\n\r\t\/\b\f""#, named("a\"b\\c\n\r\t/\u{8}\u{C}")),
            (#"name == 'it\'s'"#, named("it's")),
            (#"name == "\u00e9\u{1F600}\uD83D\uDE00""#, named("\u{E9}😀😀")), ("name == ''", named("")),
            (#"name == "\u{0}\u{FFFD}""#, named("\u{0}\u{FFFD}")), (#"name == "null""#, named("null")),
        ])
    }

    @Test func `Texts are what the field's type makes of them`() throws {
        let date = try #require(Date(iso8601: "2026-07-31T09:30:00.25Z"))
        let key = try #require(UUID(uuidString: "9f2b5d10-3c4e-4f6a-8b7c-0d1e2f3a4b5c"))
        let link = try #require(URL(string: "https://example.org/a?b"))
        try expect([
            ("seen >= '2026-07-31T09:30:00.25Z'", .comparison(name("seen"), .greaterOrEqual, .date(date))),
            ("seen < '2026-07-31T11:30:00.25+02:00'", .comparison(name("seen"), .less, .date(date))),
            ("key == '9f2b5d10-3c4e-4f6a-8b7c-0d1e2f3a4b5c'", .comparison(name("key"), .equal, .uuid(key))),
            ("link == 'https://example.org/a?b'", .comparison(name("link"), .equal, .url(link))),
            ("wait > 'PT1.5S'", .comparison(name("wait"), .greater, .duration(.milliseconds(1500)))),
            ("blob == 'AQID'", .comparison(name("blob"), .equal, .data([1, 2, 3]))),
            ("region == 'eu'", .comparison(name("region"), .equal, .string("eu"))),
            ("state == 'any'", .comparison(name("state"), .equal, .string("any"))),
            ("grade == 2", .comparison(name("grade"), .equal, .int(2))),
            ("rank == 'high'", .comparison(name("rank"), .equal, .int(5))),
            ("rank >= 5", .comparison(name("rank"), .greaterOrEqual, .int(5))),
            ("rank in ['low', 5]", .membership(name("rank"), [.int(1), .int(5)])),
            ("ranks contains 'low'", .element(name("ranks"), .int(1))),
        ])
    }

    @Test func `Null stands for none where a field may be none`() throws {
        try expect([
            ("note == null", .comparison(name("note"), .equal, .none)),
            ("null != left", .comparison(name("left"), .notEqual, .none)),
            ("address == null", .comparison(name("address"), .equal, .none)),
            ("doc != null", .comparison(name("doc"), .notEqual, .none)),
            ("address.city == null", .comparison(name("address.city"), .equal, .none)),
            ("other in [1, null]", .membership(name("other"), [.int(1), .none])),
            ("marks contains null", .element(name("marks"), .none)),
        ])
    }

    @Test func `Fields of structs, and names that are no plain words`() throws {
        try expect([
            ("address.zip > 5", .comparison(name("address.zip"), .greater, .int(5))),
            ("address.geo.lat < 0", .comparison(name("address.geo.lat"), .less, .double(0))),
            ("address.geo.tags contains 'x'", .element(name("address.geo.tags"), .string("x"))),
            ("address.true", .comparison(name("address.true"), .equal, .bool(true))),
            ("`odd name` == 1", .comparison(FieldName(["odd name"]), .equal, .int(1))),
            ("`a.b` == 1", .comparison(FieldName(["a.b"]), .equal, .int(1))), ("`id` == 5", isFive),
            ("`address`.`zip` == 1", .comparison(name("address.zip"), .equal, .int(1))),
            ("`not`", .comparison(name("not"), .equal, .bool(true))),
            ("not `not`", .not(.comparison(name("not"), .equal, .bool(true)))),
            ("größe == 1", .comparison(name("größe"), .equal, .int(1))),
            ("count == 1", .comparison(name("count"), .equal, .int(1))),
        ])
    }

    @Test func `A field against another of its type`() throws {
        try expect([
            ("id < count", .fieldComparison(name("id"), .less, name("count"))),
            ("other == id", .fieldComparison(name("other"), .equal, name("id"))),
            ("name != address.city", .fieldComparison(name("name"), .notEqual, name("address.city"))),
            (
                "count between id and other",
                .and([
                    .fieldComparison(name("count"), .greaterOrEqual, name("id")),
                    .fieldComparison(name("count"), .lessOrEqual, name("other")),
                ])
            ),
        ])
    }

    @Test func `Lists and ranges`() throws {
        let range = ConditionNode.and([
            .comparison(name("id"), .greaterOrEqual, .int(1)), .comparison(name("id"), .lessOrEqual, .int(9)),
        ])
        try expect([
            ("id in [1, 2,3]", .membership(name("id"), [.int(1), .int(2), .int(3)])),
            ("region not in ['eu']", .not(.membership(name("region"), [.string("eu")]))),
            ("id in []", .membership(name("id"), [])), ("id between 1 and 9", range),
            ("id between 1 and 9 and active", .and([range, isActive])), ("id not between 1 and 9", .not(range)),
            (
                "5 between id and count",
                .and([
                    .comparison(name("id"), .lessOrEqual, .int(5)),
                    .comparison(name("count"), .greaterOrEqual, .int(5)),
                ])
            ),
        ])
    }

    @Test func `Tests of texts, with and without options`() throws {
        func test(_ test: TextTest, _ options: TextOptions = []) -> ConditionNode {
            .text(name("name"), test, "x", options)
        }
        try expect([
            ("name contains 'x'", test(.contains)), ("name startsWith 'x'", test(.startsWith)),
            ("name endsWith 'x'", test(.endsWith)), ("name equals 'x'", test(.equals)),
            ("name contains[c] 'x'", test(.contains, .caseInsensitive)),
            ("name startsWith [d] 'x'", test(.startsWith, .diacriticInsensitive)),
            ("name ENDSWITH[DC] 'x'", test(.endsWith, [.caseInsensitive, .diacriticInsensitive])),
            ("name ==[c] 'x'", test(.equals, .caseInsensitive)),
            ("name !=[cd] 'x'", .not(test(.equals, [.caseInsensitive, .diacriticInsensitive]))),
            ("name not contains 'x'", .not(test(.contains))),
            ("region startsWith 'e'", .text(name("region"), .startsWith, "e", [])),
        ])
    }

    @Test func `Elements, counts and emptiness`() throws {
        try expect([
            ("tags contains 'x'", .element(name("tags"), .string("x"))),
            ("marks contains 7", .element(name("marks"), .int(7))),
            ("count(tags) > 2", .size(name("tags"), .greater, 2)),
            ("2 < COUNT ( limits )", .size(name("limits"), .greater, 2)),
            (
                "count(tags) between 1 and 3",
                .and([.size(name("tags"), .greaterOrEqual, 1), .size(name("tags"), .lessOrEqual, 3)])
            ),
            ("tags isEmpty", .size(name("tags"), .equal, 0)), ("isEmpty(tags)", .size(name("tags"), .equal, 0)),
            ("tags not isEmpty", .not(.size(name("tags"), .equal, 0))),
            ("name not isEmpty", .comparison(name("name"), .notEqual, .string(""))),
            ("name isEmpty", .comparison(name("name"), .equal, .string(""))),
            ("blob isEmpty", .comparison(name("blob"), .equal, .data([]))),
            ("count(name) > 2", .size(name("name"), .greater, 2)),
            ("count(blob) == 3", .size(name("blob"), .equal, 3)),
            ("blob contains 255", .element(name("blob"), .uint(255))),
            ("blob any (it > 4)", .elements(name("blob"), .any, .comparison(FieldName([]), .greater, .uint(4)))),
        ])
    }

    @Test func `Negation binds closest, then and, then or`() throws {
        try expect([
            ("active", isActive), ("!active", .not(isActive)), ("not id == 5", .not(isFive)),
            ("!id == 5", .not(isFive)),
            ("active && id == 5 || celsius > 20", .or([.and([isActive, isFive]), isWarm])),
            ("active or id == 5 and celsius > 20", .or([isActive, .and([isFive, isWarm])])),
            ("(active || id == 5) && celsius > 20", .and([.or([isActive, isFive]), isWarm])),
            ("active && id == 5 and celsius > 20", .and([isActive, isFive, isWarm])),
            ("(active && id == 5) && celsius > 20", .and([.and([isActive, isFive]), isWarm])),
            ("!!(active)", .not(.not(isActive))), ("NOT active AND id == 5", .and([.not(isActive), isFive])),
            ("true", .constant(true)), ("!false", .not(.constant(false))), ("((active))", isActive),
        ])
    }

    @Test func `An order is fields with a minus before those that descend`() throws {
        func order(_ text: String) throws -> [SortTerm] {
            try FieldList.order(text, of: ExpressionSample.type, named: "--sort")
        }
        #expect(try order("name,-id") == [SortTerm(name("name")), SortTerm(name("id"), isDescending: true)])
        #expect(
            try order(" - address.zip , `a.b`") == [
                SortTerm(name("address.zip"), isDescending: true), SortTerm(FieldName(["a.b"])),
            ])
        #expect(throws: ExpressionError.self) { try order("tags") }
        #expect(throws: ExpressionError.self) { try order("") }
        #expect(throws: ExpressionError.self) { try order("id,") }
        #expect(throws: ExpressionError.self) { try order("id,-id") }
    }

    @Test func `A list of fields finds their values in records`() throws {
        let type = ExpressionSample.type
        let fields = try FieldList.fields("id,address.zip", of: type, named: "--fields")
        var record = DynamicRecord(values: Array(repeating: .none, count: type.fields.count))
        record.values[0] = .int(7)
        #expect(fields.map { $0.value(in: record) } == [.int(7), .none])
        let place = try #require(type.fieldIndex(named: "address"))
        record.values[place] = .fields([.string("Ulm"), .int(89073), .bool(true), .fields([.double(48), .list([])])])
        #expect(fields.map { $0.value(in: record) } == [.int(7), .int(89073)])
        #expect(throws: ExpressionError.self) { try FieldList.fields("-id", of: type, named: "--fields") }
    }
}
