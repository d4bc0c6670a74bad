public import Foundation

/// A value that has sums and means: a number or a duration.
public protocol SummableValue: IndexableValue {
    /// What a sum is given as: the type itself, or of integers of fewer bits than 64 one of 64.
    associatedtype Total: SummableValue = Self
    /// What a mean is given as.
    associatedtype Mean: Sendable

    /// The sum of such values; nil where it does not fit.
    init?(_ sum: FieldSum)

    /// The mean of such values; nil where their sum does not fit.
    ///
    /// - Parameter count: how many there were, 1 at least.
    static func mean(_ sum: FieldSum, count: Int) -> Mean?
}

/// A value that has sums, or one or nil.
public protocol SummableFieldValue: FieldValue {
    /// The type of a value that is there.
    associatedtype Summand: SummableValue
}

/// What the values of a field add up to so far.
///
/// Integers, and the attoseconds of durations, are added up in 128 bits, which no number of integers makes overflow; floating
/// numbers in `Double`; decimals in `Decimal`, rounded to its 38 digits.
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

    /// The mean of numbers; nil of none.
    func mean(count: Int) -> Double? { count == 0 ? nil : (Double(integer) + floating) / Double(count) }
}

extension SummableValue where Self: FixedWidthInteger {
    /// The sum, unless it does not fit.
    public init?(_ sum: FieldSum) { self.init(exactly: sum.integer) }

    /// The mean in `Double`.
    public static func mean(_ sum: FieldSum, count: Int) -> Double? { sum.mean(count: count) }
}

extension SummableValue where Self: BinaryFloatingPoint {
    /// The sum.
    public init?(_ sum: FieldSum) { self.init(sum.floating) }

    /// The mean in `Double`.
    public static func mean(_ sum: FieldSum, count: Int) -> Double? { sum.mean(count: count) }
}

extension Decimal: SummableValue {
    /// The sum, unless it is out of range; not a number where one of the values is not.
    public init?(_ sum: FieldSum) {
        if sum.hasOverflown { return nil }
        self = sum.decimal
    }

    /// The mean, rounded to 38 digits.
    public static func mean(_ sum: FieldSum, count: Int) -> Decimal? { Decimal(sum).map { $0 / Decimal(count) } }
}

extension Duration: SummableValue {
    /// The sum, unless it is out of range.
    public init?(_ sum: FieldSum) {
        if sum.hasOverflown { return nil }
        self.init(attoseconds: sum.integer)
    }

    /// The mean, in whole attoseconds, rounded towards zero.
    public static func mean(_ sum: FieldSum, count: Int) -> Duration? {
        Duration(sum).map { Duration(attoseconds: $0.attoseconds / Int128(count)) }
    }
}

extension Duration: SummableFieldValue { public typealias Summand = Duration }
extension Optional: SummableFieldValue where Wrapped: SummableValue { public typealias Summand = Wrapped }
