public import Foundation

/// A value that has sums and means: a number or a duration.
public protocol SummableValue: IndexableValue {
    /// The type of a sum: the value's own type, or a 64-bit integer for integers of fewer bits.
    associatedtype Total: SummableValue = Self
    /// The type of a mean.
    associatedtype Mean: Sendable

    /// Creates the sum of such values; nil where it does not fit the type.
    init?(_ sum: FieldSum)

    /// Returns the mean of such values; nil where their sum is out of range.
    ///
    /// - Parameters:
    ///   - sum: the sum of the values.
    ///   - count: the number of values, at least 1.
    static func mean(_ sum: FieldSum, count: Int) -> Mean?
}

/// A value that has sums, or an optional of one.
public protocol SummableFieldValue: FieldValue {
    /// The type of the value without optionality.
    associatedtype Summand: SummableValue
}

/// The sum of a field's values so far.
///
/// Integers, and the attoseconds of durations, are added in 128 bits; a sum of integers cannot overflow that. Floating-point
/// numbers are added in `Double`, and decimals in `Decimal`, rounded to its 38 digits.
public struct FieldSum: Sendable {
    private(set) var integer: Int128 = 0
    private(set) var floating = 0.0
    private(set) var decimal = Decimal.zero
    /// Whether the sum of durations or decimals was out of range.
    private(set) var hasOverflown = false

    mutating func add(_ number: NumberKind.Number) {
        switch number {
        case .integer(let value):
            let (sum, hasOverflown) = integer.addingReportingOverflow(value)
            integer = sum
            if hasOverflown { self.hasOverflown = true }
        case .floating(let value): floating += value
        case .decimal(let value):
            let sum = decimal + value
            if sum.isNaN, !decimal.isNaN, !value.isNaN { hasOverflown = true }
            decimal = sum
        }
    }

    /// Returns the mean of the numbers; nil where there are none.
    func mean(count: Int) -> Double? { count == 0 ? nil : (Double(integer) + floating) / Double(count) }
}

extension SummableValue where Self: FixedWidthInteger {
    /// Creates the sum; nil where it does not fit.
    public init?(_ sum: FieldSum) { self.init(exactly: sum.integer) }

    /// Returns the mean as a `Double`.
    public static func mean(_ sum: FieldSum, count: Int) -> Double? { sum.mean(count: count) }
}

extension SummableValue where Self: BinaryFloatingPoint {
    /// Creates the sum.
    public init?(_ sum: FieldSum) { self.init(sum.floating) }

    /// Returns the mean as a `Double`.
    public static func mean(_ sum: FieldSum, count: Int) -> Double? { sum.mean(count: count) }
}

extension Decimal: SummableValue {
    /// Creates the sum; nil where it is out of range. The sum is not a number where one of the values is not a number.
    public init?(_ sum: FieldSum) {
        if sum.hasOverflown { return nil }
        self = sum.decimal
    }

    /// Returns the mean, rounded to 38 digits.
    public static func mean(_ sum: FieldSum, count: Int) -> Decimal? { Decimal(sum).map { $0 / Decimal(count) } }
}

extension Duration: SummableValue {
    /// Creates the sum; nil where it is out of range.
    public init?(_ sum: FieldSum) {
        if sum.hasOverflown { return nil }
        self.init(attoseconds: sum.integer)
    }

    /// Returns the mean in whole attoseconds, rounded towards zero.
    public static func mean(_ sum: FieldSum, count: Int) -> Duration? {
        Duration(sum).map { Duration(attoseconds: $0.attoseconds / Int128(count)) }
    }
}

extension Duration: SummableFieldValue { public typealias Summand = Duration }
extension Optional: SummableFieldValue where Wrapped: SummableValue { public typealias Summand = Wrapped }
