public import Foundation
import StoreRuntime

/// A struct in the state of a ``StateStore`` whose elements notify each on its own.
///
/// ```swift
/// struct Student: NestedState {
///     var name = "Ann"
///     var age = 12
/// }
/// struct School { var student = Student() }
///
/// print(school.student.name)        // depends on the name alone
/// let student: Student = school.student        // depends on the student as a whole
/// ```
///
/// The values inside it are read one by one if they are numbers, texts, dates, enums with raw values, optionals, collections,
/// other nested states, or conform to ``StateLeaf``. Code that reads a value of another type, or calls a method, depends on the
/// whole struct.
///
/// Where Swift infers the type, as in `let student = school.student`, the result is the struct's ``NestedElements``, which read
/// the newest state. Write the type, or `school[\.student]`, for a copy.
public protocol NestedState: Sendable {}

/// A value in a ``NestedState`` that is read, and tracked, as a whole. Conform enums with payloads and similar types of your own.
public protocol StateLeaf {}

/// The elements of a ``NestedState`` in a ``StateStore``, each tracked on its own. See ``NestedState``.
@dynamicMemberLookup
public struct NestedElements<Content: Sendable, Action: Sendable, Nested: Sendable>: Sendable {
    let store: StateStore<Content, Action>
    let path: any KeyPath<Content, Nested> & Sendable

    private subscript<Value: Sendable>(at part: any KeyPath<Nested, Value> & Sendable) -> Value {
        store[joined(path, part)]
    }

    /// Returns the current value of an element, tracked by Observation.
    public subscript<Value: StateLeaf & Sendable>(dynamicMember part: any KeyPath<Nested, Value> & Sendable) -> Value {
        self[at: part]
    }

    /// Returns the current value of an element that has a raw value, tracked by Observation.
    public subscript<Value: RawRepresentable & Sendable>(
        dynamicMember part: any KeyPath<Nested, Value> & Sendable
    ) -> Value { self[at: part] }

    /// Returns the current value of an element that has a raw value, tracked by Observation.
    public subscript<Value: RawRepresentable & StateLeaf & Sendable>(
        dynamicMember part: any KeyPath<Nested, Value> & Sendable
    ) -> Value { self[at: part] }

    /// Returns the elements of a nested state in this one.
    public subscript<Value: NestedState>(
        dynamicMember part: any KeyPath<Nested, Value> & Sendable
    ) -> NestedElements<Content, Action, Value> {
        NestedElements<Content, Action, Value>(store: store, path: joined(path, part))
    }
}

// Printed as the value. A description of its own would hide the property of that name.
extension NestedElements: TextOutputStreamable {
    /// Writes the current value as text.
    public func write(to target: inout some TextOutputStream) { target.write("\(store[path])") }
}

/// Reads an element of a ``StateStore`` for bindings.
struct StatePart<Content: Sendable, Action: Sendable, Whole: Sendable>: PartSource {
    let store: StateStore<Content, Action>
    let path: any KeyPath<Content, Whole> & Sendable

    var whole: Whole { store[path] }

    func part<Part: Sendable>(_ part: any KeyPath<Whole, Part> & Sendable) -> any PartSource<Part> {
        StatePart<Content, Action, Part>(store: store, path: joined(path, part))
    }
}

// MARK: Leaves

extension Bool: StateLeaf {}
extension Int: StateLeaf {}
extension Int8: StateLeaf {}
extension Int16: StateLeaf {}
extension Int32: StateLeaf {}
extension Int64: StateLeaf {}
extension UInt: StateLeaf {}
extension UInt8: StateLeaf {}
extension UInt16: StateLeaf {}
extension UInt32: StateLeaf {}
extension UInt64: StateLeaf {}
extension Float: StateLeaf {}
extension Double: StateLeaf {}
extension String: StateLeaf {}
extension Character: StateLeaf {}
extension Duration: StateLeaf {}
extension Date: StateLeaf {}
extension Data: StateLeaf {}
extension UUID: StateLeaf {}
extension URL: StateLeaf {}
extension Optional: StateLeaf {}
extension Array: StateLeaf {}
extension Set: StateLeaf {}
extension Dictionary: StateLeaf {}
