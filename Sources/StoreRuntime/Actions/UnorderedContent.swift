import Foundation

/// Finds values whose encoding has an order that differs from run to run.
enum UnorderedContent {
    /// Returns the type of a set in a value, or of a dictionary whose keys are not encoded as strings; nil if there is none.
    /// Classes are not searched.
    static func find(in value: Any) -> Any.Type? {
        if value is any PlainValue { return nil }
        let type = type(of: value)
        if let hashed = type as? any HashedCollection.Type {
            if !hashed.isWrittenInOrder { return type }
        } else if let array = type as? any PlainElements.Type, array.hasPlainElements {
            // Returned early, because there may be many elements.
            return nil
        }
        let mirror = Mirror(reflecting: value)
        if mirror.displayStyle == .class { return nil }
        for child in mirror.children {
            if let found = find(in: child.value) { return found }
        }
        return nil
    }
}

/// A collection whose elements are in the order of their hashes.
private protocol HashedCollection {
    static var isWrittenInOrder: Bool { get }
}

extension Set: HashedCollection {
    fileprivate static var isWrittenInOrder: Bool { false }
}

extension Dictionary: HashedCollection {
    /// Keys that are strings, or are written as strings, become sorted names. A dictionary with other keys becomes an array.
    fileprivate static var isWrittenInOrder: Bool {
        Key.self == String.self || Key.self == Int.self || Key.self is any CodingKeyRepresentable.Type
    }
}

/// A collection whose elements may need no search.
private protocol PlainElements {
    static var hasPlainElements: Bool { get }
}

extension Array: PlainElements {
    fileprivate static var hasPlainElements: Bool { Element.self is any PlainValue.Type }
}

/// A value that holds no collection.
private protocol PlainValue {}

extension Bool: PlainValue {}
extension String: PlainValue {}
extension Double: PlainValue {}
extension Float: PlainValue {}
extension Int: PlainValue {}
extension Int8: PlainValue {}
extension Int16: PlainValue {}
extension Int32: PlainValue {}
extension Int64: PlainValue {}
extension UInt: PlainValue {}
extension UInt8: PlainValue {}
extension UInt16: PlainValue {}
extension UInt32: PlainValue {}
extension UInt64: PlainValue {}
extension Data: PlainValue {}
extension Date: PlainValue {}
extension Decimal: PlainValue {}
extension URL: PlainValue {}
extension UUID: PlainValue {}
