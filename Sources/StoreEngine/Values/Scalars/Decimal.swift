public import Foundation

/// Records and keys use the same form. It is canonical, so equal values have equal bytes, and the order of the bytes is the order
/// of the values.
///
/// The first byte is the class: 0 is not a number, 1 is negative, 2 is zero, 3 is positive. Classes 0 and 2 have no further
/// bytes. In the others the following parts describe the number `0.d1d2d3… × 10^e`:
///
/// - `e` plus 0x4000, in two bytes, big endian
/// - the digits in pairs, each pair plus one
/// - a zero byte
///
/// For negative numbers, all bytes after the first are complemented.
extension Decimal: IndexableValue {
    public static var fieldType: FieldType { .decimal }

    public func encode(to writer: inout ByteWriter) { encodeKey(to: &writer) }

    public func encodeKey(to writer: inout ByteWriter) {
        if isNaN { return writer.append(byte: 0) }
        if isZero { return writer.append(byte: 2) }
        let parts = DecimalDigits(self)
        writer.append(byte: parts.isNegative ? 1 : 3)
        let mask: UInt8 = parts.isNegative ? 0xFF : 0
        let power = UInt16(parts.power + 0x4000)
        writer.append(byte: UInt8(power >> 8) ^ mask)
        writer.append(byte: UInt8(power & 0xFF) ^ mask)
        var index = 0
        while index < parts.digits.count {
            let second = index + 1 < parts.digits.count ? parts.digits[index + 1] : 0
            writer.append(byte: (parts.digits[index] * 10 + second + 1) ^ mask)
            index += 2
        }
        writer.append(byte: mask)
    }

    public init(from bytes: RawSpan) throws(CodecError) {
        var reader = ByteReader(bytes)
        let kind = try reader.read(UInt8.self)
        switch kind {
        case 0: self = .nan
        case 2: self = 0
        case 1, 3:
            self = try DecimalDigits(reading: &reader, mask: kind == 1 ? 0xFF : 0).decimal()
        default: throw CodecError("a Decimal begins with 0 to 3, found \(kind)")
        }
        guard reader.isAtEnd else { throw CodecError("a Decimal has \(reader.remaining) bytes too many") }
    }
}

/// The sign, digits and power of ten of a decimal number other than zero: `0.d1d2d3… × 10^power`.
private struct DecimalDigits {
    var isNegative: Bool
    var digits: [UInt8] = []
    var power: Int

    init(_ value: Decimal) {
        // The description of a Decimal is its exact expansion, without an exponent.
        isNegative = value.isSignMinus
        var integerDigits = 0
        var sawPoint = false
        for character in value.magnitude.description.utf8 {
            if character == UInt8(ascii: ".") {
                sawPoint = true
            } else if character >= UInt8(ascii: "0"), character <= UInt8(ascii: "9") {
                digits.append(character - UInt8(ascii: "0"))
                if !sawPoint { integerDigits += 1 }
            }
        }
        let leadingZeros = digits.prefix { $0 == 0 }.count
        digits.removeFirst(leadingZeros)
        while digits.last == 0 { digits.removeLast() }
        power = integerDigits - leadingZeros
    }

    init(reading reader: inout ByteReader, mask: UInt8) throws(CodecError) {
        isNegative = mask != 0
        let high = UInt16(try reader.read(UInt8.self) ^ mask)
        let low = UInt16(try reader.read(UInt8.self) ^ mask)
        power = Int(high << 8 | low) - 0x4000
        while true {
            let pair = try reader.read(UInt8.self) ^ mask
            if pair == 0 { break }
            guard pair <= 100, digits.count < 40 else { throw CodecError("a Decimal holds a digit out of range") }
            digits.append((pair - 1) / 10)
            digits.append((pair - 1) % 10)
        }
        while digits.last == 0 { digits.removeLast() }
        guard !digits.isEmpty, digits[0] != 0 else { throw CodecError("a Decimal has no leading digit") }
    }

    func decimal() throws(CodecError) -> Decimal {
        var text = String(decoding: digits.map { $0 + UInt8(ascii: "0") }, as: UTF8.self)
        var exponent = power - digits.count
        // The exponent of a Decimal ends at 127. Beyond that, zeros take up some of its 38 digits.
        while exponent > 127, text.utf8.count < 38 {
            text += "0"
            exponent -= 1
        }
        guard (-512...512).contains(exponent),
            let value = Decimal(string: (isNegative ? "-" : "") + text + "e\(exponent)"), !value.isNaN
        else { throw CodecError("a Decimal is out of range") }
        return value
    }
}
