package import Foundation

/// A field's value without its Swift type: what `store-cli` and the engine's own tools work on.
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

    /// Whether they are the same value. Texts are when their Unicode scalars are, as keys and comparisons have it: Swift's
    /// own equality takes "é" in its two forms for one. What is not a number is the same as itself, or nothing that holds it
    /// would be found in a table again.
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
    /// This value with texts in one form for all that Swift calls equal: what sets and dictionaries tell their elements apart by.
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
