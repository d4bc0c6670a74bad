/// The texts for floating-point numbers that are not finite, without loss.
///
/// - An infinite value is `inf` or `-inf`.
/// - The `.nan` of its type is `nan`.
/// - Any other NaN is named by its bits: `nan:fff8000000000000` for a double, `nan:ffc00000` for a float.
///
/// Records hold all bits of a NaN, and `0.0 / 0.0` is not `.nan` on every machine.
enum NonFiniteText {
    private static let prefix = "nan:"

    static func text(of value: Double) -> String {
        guard value.isNaN else { return value < 0 ? "-inf" : "inf" }
        return value.bitPattern == Double.nan.bitPattern ? "nan" : prefix + digits(value.bitPattern)
    }

    static func text(of value: Float) -> String {
        guard value.isNaN else { return value < 0 ? "-inf" : "inf" }
        return value.bitPattern == Float.nan.bitPattern ? "nan" : prefix + digits(value.bitPattern)
    }

    /// Returns the double for one of these texts; nil for any other text.
    static func double(of text: String) -> Double? {
        switch text {
        case "inf": return .infinity
        case "-inf": return -.infinity
        case "nan": return .nan
        default:
            guard let bits = bits(of: text, as: UInt64.self) else { return nil }
            let value = Double(bitPattern: bits)
            return value.isNaN ? value : nil
        }
    }

    /// Returns the float for one of these texts; nil for any other text.
    static func float(of text: String) -> Float? {
        switch text {
        case "inf": return .infinity
        case "-inf": return -.infinity
        case "nan": return .nan
        default:
            guard let bits = bits(of: text, as: UInt32.self) else { return nil }
            let value = Float(bitPattern: bits)
            return value.isNaN ? value : nil
        }
    }

    private static func digits(_ bits: some FixedWidthInteger) -> String { String(bits, radix: 16) }

    private static func bits<Bits: FixedWidthInteger>(of text: String, as type: Bits.Type) -> Bits? {
        guard text.hasPrefix(prefix) else { return nil }
        let digits = text.utf8.dropFirst(prefix.utf8.count)
        // The initializer of integers accepts a sign and fewer digits; this form does not.
        guard digits.count == Bits.bitWidth / 4,
            digits.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") })
        else { return nil }
        return Bits(text.dropFirst(prefix.count), radix: 16)
    }
}
