package import Foundation

/// A JSON number. It keeps its text, so that it loses no digit before its type is known.
///
/// Two numbers are equal if their texts are: `1` and `1.0` differ, because they print differently.
package struct JSONNumber: Hashable, Sendable, CustomStringConvertible {
    /// The text of the number in JSON.
    package let text: String

    /// Creates the number from its text; nil if the text is not a number by RFC 8259.
    package init?(text: String) {
        guard DecimalText(text) != nil else { return nil }
        self.text = text
    }

    /// Creates a number from a text whose grammar the reader has checked.
    init(checked text: String) { self.text = text }

    /// Creates the number for an integer.
    package init(_ value: Int64) { text = String(value) }
    /// Creates the number for an integer.
    package init(_ value: UInt64) { text = String(value) }
    /// Creates the number for an integer.
    package init(_ value: Int) { text = String(value) }

    /// Creates the shortest number that reads back as this double; nil for infinities and NaN.
    package init?(_ value: Double) {
        guard value.isFinite else { return nil }
        text = value.description
    }

    /// Creates the shortest number that reads back as this float; nil for infinities and NaN.
    package init?(_ value: Float) {
        guard value.isFinite else { return nil }
        text = value.description
    }

    /// Creates a number with all digits of a decimal; nil for NaN.
    package init?(_ value: Decimal) {
        guard !value.isNaN else { return nil }
        text = value.description
    }

    package var description: String { text }
}

extension JSONNumber {
    /// The number as an integer; nil if it is no integer or out of range. `1.0` and `1e3` are integers too.
    package var int64: Int64? {
        if let value = Int64(text) { return value }
        guard let parts = DecimalText(text), let magnitude = parts.integerMagnitude else { return nil }
        return parts.isNegative ? Int64(exactly: -Int128(magnitude)) : Int64(exactly: magnitude)
    }

    /// The number as an integer; nil if it is no integer or out of range. `1.0` and `1e3` are integers too.
    package var uint64: UInt64? {
        if let value = UInt64(text) { return value }
        guard let parts = DecimalText(text), let magnitude = parts.integerMagnitude else { return nil }
        return parts.isNegative && magnitude != 0 ? nil : magnitude
    }

    /// The nearest double; nil if the number is beyond the largest double, or so small that the nearest double is zero.
    ///
    /// Rounding alone does not make the result nil, because almost no decimal fraction is exactly a double. Use ``exactDouble``
    /// to detect a rounding that loses digits.
    package var double: Double? {
        guard let value = Double(text), value.isFinite, value != 0 || isZero else { return nil }
        return value
    }

    /// The nearest float; nil if the number is beyond the largest float, or so small that the nearest float is zero.
    package var float: Float? {
        guard let value = Float(text), value.isFinite, value != 0 || isZero else { return nil }
        return value
    }

    /// The nearest double; nil unless the shortest text of that double is this number again, so that writing the double loses no
    /// digit.
    package var exactDouble: Double? {
        guard let value = double, let parts = DecimalText(text), let back = DecimalText(value.description),
            parts.hasSameValue(as: back)
        else { return nil }
        return value
    }

    /// The number as a decimal; nil unless a `Decimal` holds every digit. It holds up to 38 digits and a power of ten from -128
    /// to 127.
    package var decimal: Decimal? { DecimalText(text)?.decimal }

    private var isZero: Bool { DecimalText(text)?.digits.isEmpty ?? false }
}

/// The sign, digits and power of ten of a number: `±d1d2d3… × 10^exponent`.
///
/// Each value has exactly one form. It has no leading and no trailing zeros, and zero has no digits.
private struct DecimalText {
    var isNegative = false
    /// The digits as numbers from 0 to 9.
    var digits: [UInt8] = []
    var exponent = 0

    /// Parses a number as RFC 8259 defines it; nil for any other text.
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
            // All powers beyond this limit are out of range of every type, so the limit can stand for them.
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

    /// Returns whether both are the same number. Negative zero differs from zero.
    func hasSameValue(as other: DecimalText) -> Bool {
        isNegative == other.isNegative && exponent == other.exponent && digits == other.digits
    }

    /// The number without its sign; nil if it is not an integer of at most 64 bits.
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
        // The power of ten of a Decimal ends at 127. Beyond that, zeros take up digits.
        while exponent > 127, !digits.isEmpty, digits.count < 38 {
            digits.append(0)
            exponent -= 1
        }
        guard digits.count <= 39, (-128...127).contains(exponent) else { return nil }
        if digits.isEmpty { return 0 }
        let text = String(decoding: digits.map { $0 + UInt8(ascii: "0") }, as: UTF8.self)
        // `Decimal(string:)` silently drops digits that it cannot hold, so compare its result with the number.
        guard let value = Decimal(string: (isNegative ? "-" : "") + text + "e\(exponent)"), !value.isNaN,
            let back = DecimalText(value.description), back.hasSameValue(as: self)
        else { return nil }
        return value
    }
}

private func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }
