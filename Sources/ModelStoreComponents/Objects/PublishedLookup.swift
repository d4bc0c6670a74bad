import StoreRuntime

/// Finds the subject of the published property that a key path leads to.
///
/// Only the property's accessor knows the subject. The lookup runs the accessor, which compares the path with its own.
final class PublishedLookup {
    let path: AnyKeyPath
    var found: AnyObject?

    private init(_ path: AnyKeyPath) { self.path = path }

    /// Reads a part of a property. If the property is published, tracks that part alone, otherwise everything that the property
    /// reads.
    static func read<Object: AnyObject, Value: Sendable, Part: Sendable>(
        _ object: Object, _ path: KeyPath<Object, Value>, _ part: any KeyPath<Value, Part> & Sendable
    ) -> Part {
        // A subclass may override the property, and compute a value from the published one.
        guard type(of: object) == Object.self else { return object[keyPath: path][keyPath: part] }
        let lookup = PublishedLookup(path)
        let value = lookup.run { object[keyPath: path] }
        return withExtendedLifetime(lookup) {
            (lookup.found as? Subject<Value>)?.value(at: part) ?? value[keyPath: part]
        }
    }

    // MARK: The calling thread's lookup

    private static let slot = ThreadSlot()

    private func run<Value>(_ body: () -> Value) -> Value {
        // The caller keeps the lookup alive while the pointer is set.
        unsafe PublishedLookup.slot.pointer = Unmanaged.passUnretained(self).toOpaque()
        defer { unsafe PublishedLookup.slot.pointer = nil }
        return body()
    }

    /// Returns the lookup that the calling thread runs, and ends it: only the first published property that it reads can be the
    /// one.
    static func take() -> PublishedLookup? {
        guard let pointer = unsafe slot.pointer else { return nil }
        unsafe slot.pointer = nil
        return unsafe Unmanaged<PublishedLookup>.fromOpaque(pointer).takeUnretainedValue()
    }
}

/// Gives access to an object whose properties are read and set.
protocol ObjectAccess<Object>: Sendable {
    associatedtype Object: AnyObject

    func use<Value>(_ body: (Object) -> Value) -> Value
}

/// An object that any thread can use.
struct SharedObject<Object: AnyObject & Sendable>: ObjectAccess {
    let object: Object

    func use<Value>(_ body: (Object) -> Value) -> Value { body(object) }
}

/// Reads a property of an object for bindings.
struct ObjectProperty<Access: ObjectAccess, Whole: Sendable>: PartSource {
    let access: Access
    let path: any KeyPath<Access.Object, Whole> & Sendable

    var whole: Whole { access.use { $0[keyPath: path] } }

    func part<Part: Sendable>(_ part: any KeyPath<Whole, Part> & Sendable) -> any PartSource<Part> {
        ObjectPropertyPart<Access, Whole, Part>(property: self, path: part)
    }
}

/// Reads a part of a property, tracked on its own if the property is published.
private struct ObjectPropertyPart<Access: ObjectAccess, Value: Sendable, Whole: Sendable>: PartSource {
    let property: ObjectProperty<Access, Value>
    let path: any KeyPath<Value, Whole> & Sendable

    var whole: Whole { property.access.use { PublishedLookup.read($0, property.path, path) } }

    func part<Part: Sendable>(_ part: any KeyPath<Whole, Part> & Sendable) -> any PartSource<Part> {
        ObjectPropertyPart<Access, Value, Part>(property: property, path: joined(path, part))
    }
}
