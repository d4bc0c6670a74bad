import Foundation

/// A condition compiled for the records of one type. It reads the bytes of the fields in place.
indirect enum CompiledCondition: Sendable {
    case constant(Bool)
    case isNone(FieldAccess, Bool)
    case signed(FieldAccess, Comparison, Int64)
    case unsigned(FieldAccess, Comparison, UInt64)
    /// Compares the bits that `Double.orderedBits` gives.
    case double(FieldAccess, Comparison, UInt64)
    /// For fields whose encodings compare as their values do.
    case bytes(FieldAccess, Comparison, [UInt8])
    /// Compares keys, for types whose encodings do not compare as their values do.
    case key(FieldAccess, KeyComponent, Comparison, [UInt8])
    case fields(FieldAccess, FieldAccess, KeyComponent, Comparison)
    case members(FieldAccess, KeyComponent, Set<[UInt8]>, includesNone: Bool)
    case text(FieldAccess, TextMatcher)
    /// An element of a type that has no order.
    case element(FieldAccess, DynamicValue)
    case size(FieldAccess, Comparison, Int)
    case arithmetic(CompiledArithmetic)
    case elements(FieldAccess, CompiledElements)
    /// Matches records by the whole keys of their ids.
    case found([KeyPart], Set<[UInt8]>, isExcluded: Bool)
    case and([CompiledCondition])
    case or([CompiledCondition])
    case not(CompiledCondition)

    /// Whether the condition holds for the record with these fields.
    func holds(_ table: FieldTable) throws(CodecError) -> Bool {
        switch self {
        case .constant(let value): return value
        case .isNone(let access, let isNone): return try access.isNone(table) == isNone
        case .signed(let access, let comparison, let value):
            guard let bytes = try access.bytes(table) else { return comparison == .notEqual }
            let own = try bytes.loadSigned()
            return comparison.holds(own < value ? -1 : own > value ? 1 : 0)
        case .unsigned(let access, let comparison, let value):
            guard let bytes = try access.bytes(table) else { return comparison == .notEqual }
            let own = try bytes.loadUnsigned()
            return comparison.holds(own < value ? -1 : own > value ? 1 : 0)
        case .double(let access, let comparison, let value):
            guard let bytes = try access.bytes(table) else { return comparison == .notEqual }
            let own = try Double(from: bytes).orderedBits
            return comparison.holds(own < value ? -1 : own > value ? 1 : 0)
        case .bytes(let access, let comparison, let value):
            guard let bytes = try access.bytes(table) else { return comparison == .notEqual }
            return comparison.holds(unsafe bytes.compared(to: value.span.bytes))
        case .key(let access, let component, let comparison, let value):
            guard let bytes = try access.bytes(table) else { return comparison == .notEqual }
            var key = ByteWriter(capacity: 64)
            try component.append(bytes, to: &key)
            return comparison.holds(unsafe key.bytes.compared(to: value.span.bytes))
        case .fields(let left, let right, let component, let comparison):
            return try CompiledCondition.compare(
                left.bytes(table), right.bytes(table), component, comparison)
        case .members(let access, let component, let keys, let includesNone):
            guard let bytes = try access.bytes(table) else { return includesNone }
            var key = ByteWriter(capacity: 64)
            try component.append(bytes, to: &key)
            return keys.contains(key.array())
        case .text(let access, let matcher):
            guard let bytes = try access.bytes(table) else { return false }
            return matcher.matches(bytes)
        case .element(let access, let element):
            guard let bytes = try access.bytes(table) else { return false }
            guard case .list(let elements) = try DynamicValue(from: bytes, as: access.type) else { return false }
            return elements.contains { $0.isSeen(as: element) }
        case .size(let access, let comparison, let size):
            guard let bytes = try access.bytes(table) else { return comparison == .notEqual }
            let count = try CompiledCondition.count(DynamicValue(from: bytes, as: access.type))
            return comparison.holds(count < size ? -1 : count > size ? 1 : 0)
        case .arithmetic(let arithmetic): return try arithmetic.holds(table)
        case .elements(let access, let elements):
            guard let bytes = try access.bytes(table) else { return false }
            return try elements.hold(bytes)
        case .found(let parts, let keys, let isExcluded):
            var key = ByteWriter(capacity: 64)
            for part in parts { try part.component.append(table.field(part.fieldIndex), to: &key) }
            return keys.contains(key.array()) != isExcluded
        case .and(let parts):
            for part in parts where try !part.holds(table) { return false }
            return true
        case .or(let parts):
            for part in parts where try part.holds(table) { return true }
            return false
        case .not(let part): return try !part.holds(table)
        }
    }

    private static func compare(
        _ left: RawSpan?, _ right: RawSpan?, _ component: KeyComponent, _ comparison: Comparison
    ) throws(CodecError) -> Bool {
        guard let left, let right else {
            if comparison.isOrdering { return false }
            let areBothNone = left == nil && right == nil
            return areBothNone == (comparison == .equal)
        }
        var leftKey = ByteWriter(capacity: 64)
        var rightKey = ByteWriter(capacity: 64)
        try component.append(left, to: &leftKey)
        try component.append(right, to: &rightKey)
        return comparison.holds(leftKey.bytes.compared(to: rightKey.bytes))
    }

    private static func count(_ value: DynamicValue) -> Int {
        switch value {
        case .list(let elements): elements.count
        case .pairs(let pairs): pairs.count
        case .string(let text): text.count
        case .data(let bytes): bytes.count
        default: 0
        }
    }
}

extension RawSpan {
    /// Returns a negative number, zero or a positive number as these bytes come before, equal or come after the others. A prefix
    /// comes first.
    func compared(to other: RawSpan) -> Int {
        let common = Swift.min(byteCount, other.byteCount)
        let order = unsafe withUnsafeBytes { left in
            unsafe other.withUnsafeBytes { right in
                guard common > 0, let first = left.baseAddress, let second = right.baseAddress else { return Int32(0) }
                return unsafe memcmp(first, second, common)
            }
        }
        return order != 0 ? Int(order) : byteCount - other.byteCount
    }

    /// Reads a signed integer of any width.
    func loadSigned() throws(CodecError) -> Int64 {
        switch byteCount {
        case 8: try loadInteger(at: 0, as: Int64.self)
        case 4: Int64(try loadInteger(at: 0, as: Int32.self))
        case 2: Int64(try loadInteger(at: 0, as: Int16.self))
        default: Int64(try loadInteger(at: 0, as: Int8.self))
        }
    }

    /// Reads an unsigned integer of any width.
    func loadUnsigned() throws(CodecError) -> UInt64 {
        switch byteCount {
        case 8: try loadInteger(at: 0, as: UInt64.self)
        case 4: UInt64(try loadInteger(at: 0, as: UInt32.self))
        case 2: UInt64(try loadInteger(at: 0, as: UInt16.self))
        default: UInt64(try loadInteger(at: 0, as: UInt8.self))
        }
    }
}
