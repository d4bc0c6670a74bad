/// A number that can be calculated with.
public protocol NumberValue: IndexableValue, Comparable, Numeric {
    /// The sum of integers and of floating numbers, one of which is zero; nil where it does not fit.
    init?(sumOf integers: Int128, _ floating: Double)
}

/// A number, or a number or nil.
public protocol NumberFieldValue: FieldValue {
    /// The type of a value that is there.
    associatedtype Number: NumberValue
}

extension NumberValue where Self: FixedWidthInteger {
    /// The sum, unless it does not fit.
    public init?(sumOf integers: Int128, _ floating: Double) { self.init(exactly: integers) }
}

extension NumberValue where Self: BinaryFloatingPoint {
    /// The sum, unless it does not fit.
    public init?(sumOf integers: Int128, _ floating: Double) { self.init(floating) }
}

extension Int: NumberValue, NumberFieldValue { public typealias Number = Int }
extension Int8: NumberValue, NumberFieldValue { public typealias Number = Int8 }
extension Int16: NumberValue, NumberFieldValue { public typealias Number = Int16 }
extension Int32: NumberValue, NumberFieldValue { public typealias Number = Int32 }
extension Int64: NumberValue, NumberFieldValue { public typealias Number = Int64 }
extension UInt: NumberValue, NumberFieldValue { public typealias Number = UInt }
extension UInt8: NumberValue, NumberFieldValue { public typealias Number = UInt8 }
extension UInt16: NumberValue, NumberFieldValue { public typealias Number = UInt16 }
extension UInt32: NumberValue, NumberFieldValue { public typealias Number = UInt32 }
extension UInt64: NumberValue, NumberFieldValue { public typealias Number = UInt64 }
extension Float: NumberValue, NumberFieldValue { public typealias Number = Float }
extension Double: NumberValue, NumberFieldValue { public typealias Number = Double }
extension Optional: NumberFieldValue where Wrapped: NumberValue { public typealias Number = Wrapped }

/// How the bytes of a number are read.
enum NumberKind: Hashable, Sendable {
    case signed, unsigned, float, double

    enum Number {
        case integer(Int128)
        case floating(Double)
    }

    /// Nil for a type that is no number.
    init?(_ type: FieldType) {
        switch type {
        case .int8, .int16, .int32, .int64: self = .signed
        case .uint8, .uint16, .uint32, .uint64: self = .unsigned
        case .float: self = .float
        case .double: self = .double
        default: return nil
        }
    }

    func read(_ bytes: RawSpan) throws(CodecError) -> Number {
        switch self {
        case .signed: .integer(Int128(try bytes.loadSigned()))
        case .unsigned: .integer(Int128(try bytes.loadUnsigned()))
        case .float: .floating(Double(try Float(from: bytes)))
        case .double: .floating(try Double(from: bytes))
        }
    }
}
