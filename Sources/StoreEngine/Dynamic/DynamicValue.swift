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
