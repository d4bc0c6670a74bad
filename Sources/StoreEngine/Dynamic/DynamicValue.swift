package import Foundation

/// A field's value without its Swift type, as `store-cli` and the engine's own tools use it.
package enum DynamicValue: Hashable, Sendable {
    case none
    case bool(Bool)
    /// Any signed integer.
    case int(Int64)
    /// Any unsigned integer.
    case uint(UInt64)
    case float(Float)
    case double(Double)
    case string(String)
    case data([UInt8])
    case uuid(UUID)
    case date(Date)
    case url(URL)
    case decimal(Decimal)
    case duration(Duration)
    /// JSON text.
    case json(String)
    /// An array, or a set in the order of its encoded elements.
    case list([DynamicValue])
    /// A dictionary in the order of its encoded keys.
    case pairs([DynamicPair])
    /// An embedded struct's fields in the order of its schema.
    case fields([DynamicValue])

    /// Returns whether two values are the same.
    ///
    /// Texts are the same if their Unicode scalars are the same, as in keys and comparisons. Swift's own equality treats the two
    /// forms of "é" as equal. A NaN is the same as itself; otherwise a hash table would never find a value that holds one.
    package static func == (left: DynamicValue, right: DynamicValue) -> Bool {
        switch (left, right) {
        case (.none, .none): true
        case (.bool(let left), .bool(let right)): left == right
        case (.int(let left), .int(let right)): left == right
        case (.uint(let left), .uint(let right)): left == right
        case (.float(let left), .float(let right)): left == right || left.bitPattern == right.bitPattern
        case (.double(let left), .double(let right)): left == right || left.bitPattern == right.bitPattern
        case (.string(let left), .string(let right)): left.hasSameScalars(as: right)
        case (.data(let left), .data(let right)): left == right
        case (.uuid(let left), .uuid(let right)): left == right
        case (.date(let left), .date(let right)):
            left == right
                || left.timeIntervalSinceReferenceDate.bitPattern == right.timeIntervalSinceReferenceDate.bitPattern
        case (.url(let left), .url(let right)): left == right
        case (.decimal(let left), .decimal(let right)): left == right || (left.isNaN && right.isNaN)
        case (.duration(let left), .duration(let right)): left == right
        case (.json(let left), .json(let right)): left.hasSameScalars(as: right)
        case (.list(let left), .list(let right)): left == right
        case (.pairs(let left), .pairs(let right)): left == right
        case (.fields(let left), .fields(let right)): left == right
        default: false
        }
    }
}

extension DynamicValue {
    /// This value with its texts in canonical decomposition. Swift's sets and dictionaries treat two values as the same if these
    /// forms are the same.
    var canonical: DynamicValue {
        switch self {
        case .string(let text): .string(text.decomposedStringWithCanonicalMapping)
        case .list(let values): .list(values.map(\.canonical))
        case .fields(let values): .fields(values.map(\.canonical))
        case .pairs(let pairs):
            .pairs(pairs.map { DynamicPair(key: $0.key.canonical, value: $0.value.canonical) })
        default: self
        }
    }
}

/// One entry of a dictionary.
package struct DynamicPair: Hashable, Sendable {
    package var key: DynamicValue
    package var value: DynamicValue

    package init(key: DynamicValue, value: DynamicValue) {
        self.key = key
        self.value = value
    }
}
