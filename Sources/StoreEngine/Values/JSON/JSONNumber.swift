package import Foundation

/// A JSON number, kept as the text that it was written as, so that no digit is lost before its type is known.
///
/// Equality is that of the text: `1` and `1.0` differ, as they would print differently.
package struct JSONNumber: Hashable, Sendable, CustomStringConvertible {
    /// The number as JSON writes it.
    package let text: String

    /// The number that `text` spells; nil when RFC 8259 has no such number.
    package init?(text: String) {
        guard DecimalText(text) != nil else { return nil }
        self.text = text
    }

    /// For the reader, which has checked the grammar.
    init(checked text: String) { self.text = text }

    /// An integer.
    package init(_ value: Int64) { text = String(value) }
    /// An integer.
    package init(_ value: UInt64) { text = String(value) }
    /// An integer.
    package init(_ value: Int) { text = String(value) }

    /// The shortest number that reads back as this double; nil for infinities and NaN.
    package init?(_ value: Double) {
        guard value.isFinite else { return nil }
        text = value.description
    }

    /// The shortest number that reads back as this float; nil for infinities and NaN.
    package init?(_ value: Float) {
        guard value.isFinite else { return nil }
        text = value.description
    }

    /// All digits of a decimal; nil for NaN.
    package init?(_ value: Decimal) {
        guard !value.isNaN else { return nil }
        text = value.description
    }

    package var description: String { text }
}

extension JSONNumber {
    /// The integer, when the number is one that fits; `1.0` and `1e3` are integers too.
    package var int64: Int64? {
        if let value = Int64(text) { return value }
        guard let parts = DecimalText(text), let magnitude = parts.integerMagnitude else { return nil }
        return parts.isNegative ? Int64(exactly: -Int128(magnitude)) : Int64(exactly: magnitude)
    }

    /// The integer, when the number is one that fits; `1.0` and `1e3` are integers too.
    package var uint64: UInt64? {
        if let value = UInt64(text) { return value }
        guard let parts = DecimalText(text), let magnitude = parts.integerMagnitude else { return nil }
        return parts.isNegative && magnitude != 0 ? nil : magnitude
    }

    /// The nearest double; nil when the number is past the largest double, or so small that only zero is near.
    ///
    /// Nearly no decimal fraction is exactly a double, so rounding alone is no reason for nil; ``exactDouble`` tells
    /// a rounding that loses digits.
    package var double: Double? {
        guard let value = Double(text), value.isFinite, value != 0 || isZero else { return nil }
        return value
    }

    /// The nearest float; nil when the number is past the largest float, or so small that only zero is near.
    package var float: Float? {
        guard let value = Float(text), value.isFinite, value != 0 || isZero else { return nil }
        return value
    }

    /// The nearest double, when its shortest text is this number again: then writing it loses no digit.
    package var exactDouble: Double? {
        guard let value = double, let parts = DecimalText(text), let back = DecimalText(value.description),
            parts.hasSameValue(as: back)
        else { return nil }
        return value
    }

    /// The decimal, when it holds every digit: up to 38 of them, and a power of ten from -128 to 127.
    package var decimal: Decimal? { DecimalText(text)?.decimal }

    private var isZero: Bool { DecimalText(text)?.digits.isEmpty ?? false }
}

/// A number's sign, digits and power of ten, in the one form that each value has: `±d1d2d3… × 10^exponent`, without
/// leading and trailing zeros. Zero has no digits.
private struct DecimalText {
    var isNegative = false
    /// Digits as 0 to 9.
    var digits: [UInt8] = []
    var exponent = 0

    /// Parses what RFC 8259 calls a number; nil for everything else.
    init?(_ text: String) {
        var bytes = text.utf8[...]
        isNegative = bytes.first == UInt8(ascii: "-")
        if isNegative { bytes.removeFirst() }
        let whole = bytes.prefix(while: isDigit)
        guard let first = whole.first, first != UInt8(ascii: "0") || whole.count == 1 else { return nil }
        bytes = bytes[whole.endIndex...]
        digits.append(contentsOf: whole.lazy.map { $0 - UInt8(ascii: "0") })
        if bytes.first == UInt8(ascii: ".") {
            let fraction = bytes.dropFirst().prefix(while: isDigit)
            guard !fraction.isEmpty else { return nil }
            bytes = bytes[fraction.endIndex...]
            digits.append(contentsOf: fraction.lazy.map { $0 - UInt8(ascii: "0") })
            exponent = -fraction.count
        }
        if bytes.first == UInt8(ascii: "e") || bytes.first == UInt8(ascii: "E") {
            bytes.removeFirst()
            let isDown = bytes.first == UInt8(ascii: "-")
            if isDown || bytes.first == UInt8(ascii: "+") { bytes.removeFirst() }
            guard !bytes.isEmpty, bytes.allSatisfy(isDigit) else { return nil }
            // A power past any real number is as good as any other such power.
            let power = bytes.reduce(0) { min($0 * 10 + Int($1 - UInt8(ascii: "0")), 1 << 40) }
            exponent += isDown ? -power : power
        } else if !bytes.isEmpty {
            return nil
        }
        normalize()
    }

    private mutating func normalize() {
        let kept = (digits.lastIndex { $0 != 0 } ?? -1) + 1
        exponent += digits.count - kept
        digits.removeLast(digits.count - kept)
        digits.removeFirst(digits.prefix { $0 == 0 }.count)
        if digits.isEmpty { exponent = 0 }
    }

    /// Whether both stand for the same number; negative zero and zero are told apart.
    func hasSameValue(as other: DecimalText) -> Bool {
        isNegative == other.isNegative && exponent == other.exponent && digits == other.digits
    }

    /// The number without its sign, when it is an integer of at most 64 bits.
    var integerMagnitude: UInt64? {
        guard exponent >= 0, digits.count + exponent <= 20 else { return nil }
        var value: UInt128 = 0
        for digit in digits { value = value * 10 + UInt128(digit) }
        for _ in 0..<exponent { value *= 10 }
        return UInt64(exactly: value)
    }

    var decimal: Decimal? {
        var digits = digits
        var exponent = exponent
        // A Decimal's power of ten ends at 127; beyond, zeros take up digits.
        while exponent > 127, !digits.isEmpty, digits.count < 38 {
            digits.append(0)
            exponent -= 1
        }
        guard digits.count <= 39, (-128...127).contains(exponent) else { return nil }
        if digits.isEmpty { return 0 }
        let text = String(decoding: digits.map { $0 + UInt8(ascii: "0") }, as: UTF8.self)
        // `Decimal(string:)` drops what it cannot hold without a word, so its answer is compared.
        guard let value = Decimal(string: (isNegative ? "-" : "") + text + "e\(exponent)"), !value.isNaN,
            let back = DecimalText(value.description), back.hasSameValue(as: self)
        else { return nil }
        return value
    }
}

private func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }
