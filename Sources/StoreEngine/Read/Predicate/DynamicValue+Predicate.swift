import Foundation
@_spi(Reflection) import Swift

extension DynamicValue {
    /// Creates a value from a value of a predicate; nil where a store cannot keep such a value.
    init?(ofPredicate value: Any) {
        if let value = value as? any FieldValue {
            guard let found = value.dynamicValue else { return nil }
            self = found
        } else if let value = value as? any OptionalOfPredicate {
            guard let wrapped = value.anyValue else {
                self = .none
                return
            }
            self.init(ofPredicate: wrapped)
        } else if let value = value as? any RawRepresentable {
            self.init(ofPredicate: value.rawValue)
        } else if let value = value as? any StringProtocol {
            self = .string(String(value))
        } else if let value = value as? Character {
            self = .string(String(value))
        } else if let values = value as? any Sequence {
            var list: [DynamicValue] = []
            for element in values {
                guard let found = DynamicValue(ofPredicate: element) else { return nil }
                list.append(found)
            }
            self = .list(list)
        } else {
            return nil
        }
    }

    /// Whether it is a NaN, which equals nothing in a predicate.
    var isNaN: Bool {
        switch self {
        case .float(let value): value.isNaN
        case .double(let value): value.isNaN
        case .date(let value): value.timeIntervalSinceReferenceDate.isNaN
        case .decimal(let value): value.isNaN
        default: false
        }
    }
}

extension FieldValue {
    fileprivate var dynamicValue: DynamicValue? {
        do {
            let bytes = try encoded()
            return unsafe try DynamicValue(from: bytes.span.bytes, as: Self.fieldType)
        } catch {
            return nil
        }
    }
}

/// An optional of any type.
private protocol OptionalOfPredicate {
    var anyValue: Any? { get }
}

extension Optional: OptionalOfPredicate {
    fileprivate var anyValue: Any? { self.map { $0 } }
}

/// A range of values in a predicate.
protocol RangeOfPredicate {
    var range: PredicatePart? { get }
}

extension ClosedRange: RangeOfPredicate {
    var range: PredicatePart? { PredicatePart(from: lowerBound, to: upperBound, isClosed: true) }
}

extension Range: RangeOfPredicate {
    var range: PredicatePart? { PredicatePart(from: lowerBound, to: upperBound, isClosed: false) }
}

extension PartialRangeFrom: RangeOfPredicate {
    var range: PredicatePart? { PredicatePart(from: lowerBound, to: nil, isClosed: true) }
}

extension PartialRangeThrough: RangeOfPredicate {
    var range: PredicatePart? { PredicatePart(from: nil, to: upperBound, isClosed: true) }
}

extension PartialRangeUpTo: RangeOfPredicate {
    var range: PredicatePart? { PredicatePart(from: nil, to: upperBound, isClosed: false) }
}

extension PredicatePart {
    /// Creates a range of values; nil where a store cannot keep such values.
    fileprivate init?(from lower: Any?, to upper: Any?, isClosed: Bool) {
        var ends: [PredicatePart?] = []
        for end in [lower, upper] {
            guard let end else {
                ends.append(nil)
                continue
            }
            guard let value = DynamicValue(ofPredicate: end) else { return nil }
            ends.append(.value(value))
        }
        self = .range(lower: ends[0], upper: ends[1], isClosed: isClosed)
    }
}

/// Finds the stored property that a key path leads to.
enum StoredProperty {
    /// Returns the name of the property that a key path leads to; nil where the property is computed.
    ///
    /// Predicates contain key paths of the record itself, which field tokens do not know. The offset and the type identify the
    /// stored property, because only properties without a size share an offset.
    static func name<Root, Value>(_ keyPath: KeyPath<Root, Value>) -> String? {
        guard let wanted = MemoryLayout<Root>.offset(of: keyPath) else { return nil }
        var found: String?
        _ = unsafe _forEachField(of: Root.self) { name, offset, type, _ in
            guard offset == wanted, type == Value.self else { return true }
            found = unsafe String(cString: name)
            return false
        }
        return found
    }
}
