import Foundation

extension Decimal {
    /// Creates the decimal for an integer and keeps all its digits.
    init(_ value: Int128) {
        let low = Decimal(UInt64(truncatingIfNeeded: value.magnitude))
        let high = UInt64(truncatingIfNeeded: value.magnitude >> 64)
        let magnitude = high == 0 ? low : Decimal(high) * (Decimal(UInt64.max) + 1) + low
        self = value < 0 ? -magnitude : magnitude
    }

    /// The nearest `Double`.
    var doubleValue: Double { Double(description) ?? .nan }

    /// Returns the remainder of a division that rounds towards zero, with the sign of this number.
    ///
    /// - Returns: nil if there is no such number, or if the quotient has more than 38 digits.
    func remainder(dividingBy divisor: Decimal) -> Decimal? {
        let (dividend, divisor) = (magnitude, divisor.magnitude)
        var quotient = dividend / divisor
        if quotient.isNaN { return nil }
        var whole = Decimal()
        unsafe NSDecimalRound(&whole, &quotient, 0, .down)
        var rest = dividend - whole * divisor
        // The division may have rounded the quotient up to the next whole number.
        if rest < 0 { rest += divisor }
        guard rest >= 0, rest < divisor else { return nil }
        return self < 0 ? -rest : rest
    }
}
