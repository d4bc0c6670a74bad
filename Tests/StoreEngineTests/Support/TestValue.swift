import Foundation
import StoreEngine
import TestSupport

/// A field type with test values: its extremes, and random values that are often close together.
protocol TestValue: FieldValue {
    static var extremes: [Self] { get }

    static func random(_ random: inout TestRandom) -> Self

    /// Returns whether both values are identical, bit by bit.
    func isSame(as other: Self) -> Bool
}

extension TestValue where Self: Equatable {
    func isSame(as other: Self) -> Bool { self == other }
}

/// A type with keys, and the expected order of those keys.
protocol OrderedTestValue: TestValue, IndexableValue {
    /// Returns whether this value comes before the other one.
    func precedes(_ other: Self) -> Bool
}

extension OrderedTestValue where Self: Comparable {
    func precedes(_ other: Self) -> Bool { self < other }
}

protocol IntegerTestValue: OrderedTestValue, FixedWidthInteger {}

extension IntegerTestValue {
    static var extremes: [Self] { [.min, .min + 1, 0, 1, .max - 1, .max, .min / 2, .max / 2] }

    static func random(_ random: inout TestRandom) -> Self {
        let bits = Self(truncatingIfNeeded: random.next())
        return random.oneIn(2) ? bits : bits >> Self(random.below(Self.bitWidth))
    }

    func precedes(_ other: Self) -> Bool { self < other }
}

extension Int8: IntegerTestValue {}
extension Int16: IntegerTestValue {}
extension Int32: IntegerTestValue {}
extension Int64: IntegerTestValue {}
extension Int: IntegerTestValue {}
extension UInt8: IntegerTestValue {}
extension UInt16: IntegerTestValue {}
extension UInt32: IntegerTestValue {}
extension UInt64: IntegerTestValue {}
extension UInt: IntegerTestValue {}

extension Bool: OrderedTestValue {
    static let extremes = [false, true]

    static func random(_ random: inout TestRandom) -> Bool { random.oneIn(2) }

    func precedes(_ other: Bool) -> Bool { !self && other }
}

protocol FloatingTestValue: OrderedTestValue, BinaryFloatingPoint {
    associatedtype Bits: FixedWidthInteger

    init(bitPattern: Bits)

    var bitPattern: Bits { get }
}

extension FloatingTestValue {
    static var extremes: [Self] {
        [
            0, -0.0, 1, -1, .leastNonzeroMagnitude, -.leastNonzeroMagnitude, .leastNormalMagnitude,
            -.leastNormalMagnitude, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .infinity, -.infinity, .nan,
            -.nan, .signalingNaN, Self(bitPattern: Self.nan.bitPattern + 12_345),
            Self(bitPattern: Self.infinity.bitPattern + 1), .pi, .ulpOfOne,
        ]
    }

    static func random(_ random: inout TestRandom) -> Self {
        switch random.below(4) {
        case 0: Self(random.below(2_001) - 1_000) / 8
        case 1: random.pick(extremes)
        default: Self(bitPattern: Bits(truncatingIfNeeded: random.next()))
        }
    }

    func isSame(as other: Self) -> Bool { bitPattern == other.bitPattern }

    /// The order is numeric, with both zeros equal. All NaNs come last and are equal.
    func precedes(_ other: Self) -> Bool { isNaN ? false : other.isNaN || self < other }
}

extension Double: FloatingTestValue {}
extension Float: FloatingTestValue {}
