public import Foundation

/// A number that calculations accept.
public protocol NumberValue: SummableValue, Comparable, Numeric {}

/// A number or an optional number.
public protocol NumberFieldValue: SummableFieldValue where Summand: NumberValue {}

extension Int: NumberValue, NumberFieldValue { public typealias Summand = Int }
extension Int8: NumberValue, NumberFieldValue {
    public typealias Summand = Int8
    public typealias Total = Int
}
extension Int16: NumberValue, NumberFieldValue {
    public typealias Summand = Int16
    public typealias Total = Int
}
extension Int32: NumberValue, NumberFieldValue {
    public typealias Summand = Int32
    public typealias Total = Int
}
extension Int64: NumberValue, NumberFieldValue { public typealias Summand = Int64 }
extension UInt: NumberValue, NumberFieldValue { public typealias Summand = UInt }
extension UInt8: NumberValue, NumberFieldValue {
    public typealias Summand = UInt8
    public typealias Total = UInt
}
extension UInt16: NumberValue, NumberFieldValue {
    public typealias Summand = UInt16
    public typealias Total = UInt
}
extension UInt32: NumberValue, NumberFieldValue {
    public typealias Summand = UInt32
    public typealias Total = UInt
}
extension UInt64: NumberValue, NumberFieldValue { public typealias Summand = UInt64 }
extension Float: NumberValue, NumberFieldValue { public typealias Summand = Float }
extension Double: NumberValue, NumberFieldValue { public typealias Summand = Double }
extension Decimal: NumberValue, NumberFieldValue { public typealias Summand = Decimal }
extension Optional: NumberFieldValue where Wrapped: NumberValue {}

/// How to read the bytes of a field that has sums.
enum NumberKind: Hashable, Sendable {
    case signed, unsigned, float, double, decimal, duration

    enum Number {
        case integer(Int128)
        case floating(Double)
        case decimal(Decimal)
    }

    /// Whether the kind is a number, which calculations accept.
    var isNumber: Bool { self != .duration }

    /// Returns nil for a type whose values have no sum.
    init?(_ type: FieldType) {
        switch type {
        case .int8, .int16, .int32, .int64: self = .signed
        case .uint8, .uint16, .uint32, .uint64: self = .unsigned
        case .float: self = .float
        case .double: self = .double
        case .decimal: self = .decimal
        case .duration: self = .duration
        default: return nil
        }
    }

    func read(_ bytes: RawSpan) throws(CodecError) -> Number {
        switch self {
        case .signed: .integer(Int128(try bytes.loadSigned()))
        case .unsigned: .integer(Int128(try bytes.loadUnsigned()))
        case .float: .floating(Double(try Float(from: bytes)))
        case .double: .floating(try Double(from: bytes))
        case .decimal: .decimal(try Decimal(from: bytes))
        case .duration: .integer(try Duration(from: bytes).attoseconds)
        }
    }
}
