import StoreEngine
import StoreExpressions
import Testing

/// The parser reports each mistake with its column and a message.
@Suite("Mistakes in expressions") struct ExpressionErrorTests {
    /// Expressions with the column and the message of their mistake.
    static let table: [(text: String, column: Int, reason: String)] = [
        ("", 1, "expected a condition, found the end"),
        ("id", 3, "expected an operator such as == after the field id, found the end"),
        ("5", 2, "expected an operator such as == after the number 5, found the end"),
        ("id ==", 6, "expected a value or a field, found the end"),
        ("id = 5", 4, "= is not an operator; write =="),
        ("id == 5 active", 9, "expected &&, || or the end, found active"),
        ("id + name > 5", 6, "name is string, but a calculation takes integers, float, double or decimal"),
        ("id + 'x' > 5", 6, "expected a number to calculate with, found the text \"x\""),
        ("id + > 5", 6, "expected a condition, found >"), ("(id + 1 > 5", 12, "expected &&, || or ), found the end"),
        ("(id + 1 * (2) > 5) * 3 > 5", 15, "expected an operator such as + or ), found >"),
        ("5 + 3 > 2", 1, "one side of > must name a field"),
        (
            "id + 99999999999999999999 > 5", 6,
            "an integer in a calculation must fit in 64 bits; write 99999999999999999999.0 for a double"
        ),
        ("id + 1 contains 'x'", 1, "expected a field before contains, found a calculation"),
        ("id any (it > 5)", 4, "any takes an array, a set or data, but id is int64"),
        ("tags any (name == 'x')", 11, "an element of tags has no field name; it has it"),
        ("tags any (it == 5)", 17, "it takes a text in quotes (string), found the number 5"),
        ("1 < id < 5", 8, "expected &&, || or the end, found <"),
        ("(id == 5", 9, "expected &&, || or ), found the end"),
        ("id == 5)", 8, "expected &&, || or the end, found )"),
        ("celcius > 5", 1, "Thing has no field celcius; did you mean celsius?"),
        ("id == 5 && adress.city == 'x'", 12, "Thing has no field adress; did you mean address?"),
        ("address.ctiy == 'x'", 9, "address has no field ctiy; did you mean address.city?"),
        ("address.elsewhere == 'x'", 9, "address has no field elsewhere; it has city, zip, `true`, geo"),
        ("name.x == 5", 6, "name has no fields: it is string"),
        ("address. == 5", 9, "expected a field's name after the dot"),
        ("`odd nam` == 1", 1, "Thing has no field odd nam; did you mean `odd name`?"),
        ("name == kitchen", 9, "Thing has no field kitchen; put a text in quotes: \"kitchen\""),
        ("name == nane", 9, "Thing has no field nane; did you mean name, or the text \"nane\"?"),
        ("note == nil", 9, "Thing has no field nil; write null"),
        ("name == 5", 9, "name takes a text in quotes (string), found the number 5"),
        (
            "id == '5'", 7,
            "id takes an integer from -9223372036854775808 to 9223372036854775807 (int64), found the text \"5\""
        ),
        ("small == 128", 10, "small takes an integer from -128 to 127 (int8), found the number 128"),
        ("level == 2.5", 10, "level takes an integer from 0 to 255 (uint8), found the number 2.5"),
        (
            "big == 18446744073709551616", 8,
            "big takes an integer from 0 to 18446744073709551615 (uint64), found the number 18446744073709551616"
        ),
        (
            "id == inf", 7,
            "id takes an integer from -9223372036854775808 to 9223372036854775807 (int64), found the number inf"
        ),
        (
            "celsius < 1e999", 11,
            "celsius takes a number that it can hold, inf, -inf or nan (double), found the number 1e999"
        ),
        ("active == 1", 11, "active takes true or false (bool), found the number 1"),
        (
            "seen > 'yesterday'", 8,
            "seen takes a date in quotes such as \"2026-07-31T09:30:00Z\" (date), found the text \"yesterday\""
        ),
        ("seen > 2026-07-31", 8, "2026-07-31 is not a number; put dates, UUIDs and other texts in quotes"),
        ("id == 007", 7, "007 is not a number"), ("id == 5x", 7, "5x is not a number"),
        ("region == 'eus'", 11, "region takes one of \"eu\", \"us\", found the text \"eus\"; did you mean \"eu\"?"),
        ("grade == 3", 10, "grade takes one of 1, 2, found the number 3"),
        ("rank == 7", 9, "rank takes one of \"low\" (1), \"high\" (5), found the number 7"),
        (
            "rank == 'hihg'", 9,
            "rank takes one of \"low\" (1), \"high\" (5), found the text \"hihg\"; did you mean \"high\"?"
        ),
        ("name == null", 9, "name is string, which cannot be null"),
        ("note < null", 8, "null has no order; compare it with == or !="),
        ("id in [1, null]", 11, "id is int64, which cannot be null"),
        ("id == name", 7, "only fields of the same type can be compared, but id is int64 and name is string"),
        ("5 == 5", 1, "one side of == must be a field"),
        ("tags == 'x'", 1, "tags is [string], which cannot be compared; use contains, isEmpty or count(tags)"),
        ("tags == []", 9, "expected a value or a field, found ["),
        ("limits == 5", 1, "limits is [string: int64], which cannot be compared; use isEmpty or count(limits)"),
        ("doc == 5", 1, "doc is json, which cannot be compared; compare it with null"),
        (
            "address == 5", 1,
            "address is {city: string, zip: int32?, true: bool, geo: {lat: double, tags: set<string>}}?, "
                + "which cannot be compared; name one of its fields, such as address.city"
        ),
        ("id in 5", 7, "expected [ and values such as [1, 2], found the number 5"),
        ("id in [1,]", 10, "expected a value, found ]"), ("id in [1 2]", 10, "expected , or ], found the number 2"),
        ("id in [count]", 8, "expected a value, found count"),
        ("'x' in tags", 1, "expected a field before in, found the text \"x\""),
        ("id between 1 or 2", 14, "expected and, found or"),
        ("id not == 5", 8, "expected in, between, contains, startsWith, endsWith, equals, any or all, found =="),
        ("id contains 5", 4, "contains takes a text, data, an array or a set; id is int64"),
        ("tags startsWith 'x'", 6, "startsWith takes a text; tags is [string]"),
        ("tags contains[c] 'x'", 6, "contains[c] takes a text; tags is [string]"),
        ("tags contains 5", 15, "an element of tags takes a text in quotes (string), found the number 5"),
        ("docs contains 5", 15, "an element of docs is json, which cannot be compared"),
        ("name contains note", 15, "expected a text in quotes, found note"),
        ("name contains[x] 'x'", 15, "expected c, d or cd, which ignore case, diacritics or both, found x"),
        ("name <[c] 'x'", 6, "< takes no options, but == and != do"),
        ("count(id) > 2", 1, "count takes a text, data or a collection, but id is int64"),
        (
            "count(tags) > 2.5", 15,
            "count(tags) takes an integer from -9223372036854775808 to 9223372036854775807 (int64), "
                + "found the number 2.5"
        ),
        ("count(tags) > id", 15, "a count can be compared only with an integer, found the field id"),
        ("count(tags)", 12, "expected an operator such as == after count(tags), found the end"),
        ("count(5) > 2", 7, "expected the field of count, found the number 5"),
        ("id isEmpty", 4, "isEmpty takes a text, data or a collection, but id is int64"),
        ("name == 'x", 9, "the text that begins here has no closing '"),
        ("`odd name", 1, "the name that begins here has no closing `"),
        (#"name == "\x""#, 10, #"expected one of \"'`/bfnrtu after the backslash; \\ is a backslash"#),
        (#"name == "\uD800""#, 10, #"this is not a Unicode scalar; write \u{1F600} or \u00E9"#),
        (#"name == "\u{110000}""#, 10, #"this is not a Unicode scalar; write \u{1F600} or \u00E9"#),
        ("name == \"a\u{7}\"", 11, "a text cannot contain a bare control character; write \\u{7}"),
        ("name == '\u{FFFD}'", 10, "these bytes are not UTF-8; if U+FFFD is meant, write \\u{FFFD}"),
        ("\u{FFFD}", 1, "these bytes are not UTF-8"), ("id == 5 & active", 9, "& is not an operator; write &&"),
        ("id == \u{201C}x\u{201D}", 7, "put a text in straight quotes: \"…\""),
        ("id == $x", 7, "expected a field, a value or an operator, found $"),
        ("id ==\u{0} 5", 6, "expected a field, a value or an operator, found \\u{0}"),
    ]

    @Test(arguments: table.map(\.text)) func `A mistake is answered with its place and a remedy`(text: String) throws {
        let row = try #require(Self.table.first { $0.text == text })
        let error = try #require(throws: ExpressionError.self) { try ExpressionSample.parse(text) }
        #expect(error.reason == row.reason)
        #expect(error.column == row.column)
    }

    @Test func `Marks stand below the mistake`() throws {
        let error = try #require(throws: ExpressionError.self) { try ExpressionSample.parse("id == 5 && celcius > 5") }
        #expect(error.message == "--where, column 12: Thing has no field celcius; did you mean celsius?")
        #expect(error.excerpt == ["  id == 5 && celcius > 5", "             ^^^^^^^"])
    }

    @Test func `Marks stand below the mistake also after wide and escaped characters`() throws {
        let wide = try #require(throws: ExpressionError.self) { try ExpressionSample.parse("name == '漢字' & active") }
        #expect(wide.excerpt == ["  name == '漢字' & active", "                 ^"])
        let lines = try #require(throws: ExpressionError.self) { try ExpressionSample.parse("active\n&& nothing") }
        #expect(lines.excerpt == ["  active\\n&& nothing", "             ^^^^^^^"])
    }

    @Test func `Of a long expression only the surroundings are shown`() throws {
        let text = String(repeating: "active && ", count: 100) + "nothing" + String(repeating: " && active", count: 100)
        let error = try #require(throws: ExpressionError.self) { try ExpressionSample.parse(text) }
        #expect(error.column == 1001)
        #expect(
            error.excerpt == [
                "  …active && active && active && active && nothing && active && active && active && active…",
                "                                           ^^^^^^^",
            ])
    }

    @Test(arguments: [
        ("-tags", 2, "tags is [string], whose values have no order"),
        ("id,nmae", 4, "Thing has no field nmae; did you mean name?"), ("id,name,-id", 10, "id is named twice"),
        ("id name", 4, "expected a comma or the end, found name"), ("id,", 4, "expected a field, found the end"),
        ("--id", 2, "expected a field, found -"),
    ]) func `An order is checked`(text: String, column: Int, reason: String) throws {
        let error = try #require(throws: ExpressionError.self) {
            try FieldList.order(text, of: ExpressionSample.type, named: "--sort")
        }
        #expect(error.reason == reason)
        #expect(error.column == column)
        #expect(error.message.hasPrefix("--sort, column \(column): "))
    }
}
