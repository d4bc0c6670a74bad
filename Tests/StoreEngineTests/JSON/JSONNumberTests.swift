import Foundation
import StoreEngine
import Testing

@Suite("JSON numbers")
struct JSONNumberTests {
    private func number(_ text: String) throws -> JSONNumber { try #require(JSONNumber(text: text)) }

    @Test("integers are exact or nil")
    func integers() throws {
        #expect(try number("9223372036854775807").int64 == .max)
        #expect(try number("-9223372036854775808").int64 == .min)
        #expect(try number("9223372036854775808").int64 == nil)
        #expect(try number("-9223372036854775809").int64 == nil)
        #expect(try number("18446744073709551615").uint64 == .max)
        #expect(try number("18446744073709551616").uint64 == nil)
        #expect(try number("99999999999999999999").uint64 == nil)
        #expect(try number("-1").uint64 == nil)
        #expect(try number("-0").uint64 == 0)
        #expect(try number("-0.0").int64 == 0)
        #expect(try number("1.0").int64 == 1)
        #expect(try number("-12.50e1").int64 == -125)
        #expect(try number("1e18").int64 == 1_000_000_000_000_000_000)
        #expect(try number("1e19").int64 == nil)
        #expect(try number("1e19").uint64 == 10_000_000_000_000_000_000)
        #expect(try number("1.5").int64 == nil)
        #expect(try number("1e-1").uint64 == nil)
        #expect(try number("0e999999999999999999999999").int64 == 0)
        #expect(try number("1e999999999999999999999999").int64 == nil)
    }

    @Test("doubles are the nearest, and nil out of range")
    func doubles() throws {
        #expect(try number("0.1").double == 0.1)
        #expect(try number("0.10000000000000001").double == 0.1)
        #expect(try number("1e309").double == nil)
        #expect(try number("-1e309").double == nil)
        #expect(try number("1e-400").double == nil)
        #expect(try number("0e-400").double == 0)
        #expect(try number("-0").double?.sign == .minus)
        #expect(try number("1e39").float == nil)
        #expect(try number("1e-60").float == nil)
        #expect(try number("0.1").float == 0.1)
    }

    @Test("an exact double loses no digit")
    func exactDoubles() throws {
        for text in ["0.1", "1", "1.50", "1e3", "100", "-2.5e-3", "9007199254740992", "5e-324", "0", "-0.0"] {
            #expect(try number(text).exactDouble == Double(text), "\(text)")
        }
        for text in ["9007199254740993", "0.1000000000000000055511151231257827", "1e400", "12345678901234567890123"] {
            #expect(try number(text).exactDouble == nil, "\(text)")
        }
    }

    @Test("decimals keep what 128 bits hold, or are nil")
    func decimals() throws {
        let digits = "12345678901234567890123456789012345678"
        #expect(try number(digits).decimal?.description == digits)
        #expect(try number("-0." + digits).decimal?.description == "-0." + digits)
        #expect(try number(digits + "9").decimal?.description == digits + "9")
        #expect(
            try number("340282366920938463463374607431768211455").decimal == Decimal.greatestFiniteMagnitude
                / Decimal(sign: .plus, exponent: 127, significand: 1))
        #expect(try number("340282366920938463463374607431768211456").decimal == nil)
        #expect(try number(digits + "0").decimal?.description == digits + "0")
        #expect(try number("1e127").decimal == Decimal(sign: .plus, exponent: 127, significand: 1))
        #expect(try number("1e130").decimal?.description == "1" + String(repeating: "0", count: 130))
        #expect(try number("1e165").decimal == nil)
        #expect(try number("1e-128").decimal == Decimal(sign: .plus, exponent: -128, significand: 1))
        #expect(try number("1e-129").decimal == nil)
        #expect(try number("0").decimal == 0)
        #expect(try number("0e500").decimal == 0)
        #expect(try number("99999999999999999999999999999999999999").decimal != nil)
        #expect(JSONNumber(Decimal.nan) == nil)
    }

    @Test("random decimals round trip", arguments: [1, 2])
    func decimalRoundTrip(seed: UInt64) throws {
        var generator = JSONValueGenerator(seed: seed)
        for _ in 0..<3_000 {
            let count = Int.random(in: 1...38, using: &generator)
            var text = (0..<count).map { _ in String(Int.random(in: 0...9, using: &generator)) }.joined()
            if text.first == "0" { text = "1" + text.dropFirst() }
            text =
                (Bool.random(using: &generator) ? "-" : "") + text + "e\(Int.random(in: -128...127, using: &generator))"
            guard let decimal = try number(text).decimal else { continue }
            let back = try #require(JSONNumber(decimal))
            #expect(back.decimal == decimal, "\(text)")
        }
    }

    @Test("only RFC 8259 numbers are numbers")
    func grammar() {
        for text in ["", "-", "01", "+1", "1.", ".1", "1e", "1e+", "0x1", "1 ", " 1", "inf", "nan", "1.5.5", "--1"] {
            #expect(JSONNumber(text: text) == nil, "\(text)")
        }
    }

    @Test("are equal when their text is")
    func equality() {
        #expect(JSONNumber(text: "1") == JSONNumber(1))
        #expect(JSONNumber(text: "1.0") != JSONNumber(1))
    }
}
